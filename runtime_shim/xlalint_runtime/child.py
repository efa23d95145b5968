"""The process in which a watched program runs: `python -m xlalint_runtime.child REQUEST`."""

from __future__ import annotations

import atexit
import faulthandler
import os
import pickle
import sys
from pathlib import Path

from xlalint_runtime import arrival, running, spawned
from xlalint_runtime.choosing import Choice
from xlalint_runtime.request import NOTE, SHOW_STACKS, Request
from xlalint_runtime.session import Session


def main(file: str) -> None:
    """Run the program of the request in a file; its errors and exits are the interpreter's."""
    request: Request = pickle.loads(Path(file).read_bytes())
    if request.stacks is not None:
        # The interpreter's lock may be held by whoever hangs: this needs none.
        faulthandler.register(SHOW_STACKS, open(request.stacks, "w"), all_threads=True)  # noqa: PTH123, SIM115
    try:
        session, program = prepared(request)
    except running.NotFound as error:
        print(f"{sys.executable}: {error}", file=sys.stderr)
        sys.exit(2)
    atexit.register(session.end)
    session.write()
    arrival.when_imported(arrival.ENGINE, session.begin)
    spawned.watch_children(request)
    session.covering.begin()
    program.run(session.fails)


def prepared(request: Request) -> tuple[Session, running.Program]:
    """What watches, and what is watched.

    Raises:
        NotFound: there is no such program.
    """
    make = running.module if request.is_module else running.script
    return Session(request, Choice(request.finder), _notes()), make(request.program, request.args)


def _notes() -> tuple[str, ...]:
    note = os.environ.pop(NOTE, None)
    return (note,) if note else ()


if __name__ == "__main__":
    main(sys.argv.pop(1))
