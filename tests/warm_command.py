"""The command `xlalint` in a process of its own, forked from one that has imported it: half the time."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn

LONGEST = 120
"""Seconds after which a command is killed."""


def command(*arguments: str, folder: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run `xlalint` with these arguments in a folder, as from a shell."""
    parent = _parent()
    assert parent.stdin is not None
    assert parent.stdout is not None
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        files = [f"/proc/{os.getpid()}/fd/{file.fileno()}" for file in (given, out, err)]
        request = {
            "arguments": arguments,
            "folder": str(folder),
            "files": files,
            "environment": dict(os.environ),
        }
        parent.stdin.write(json.dumps(request).encode() + b"\n")
        parent.stdin.flush()
        answer = parent.stdout.readline()
        assert answer, "the process that commands are forked from has ended"
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(("xlalint", *arguments), int(answer), out.read(), err.read())


@cache
def _parent() -> subprocess.Popen[bytes]:
    parent = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(_end, parent)
    return parent


def _end(parent: subprocess.Popen[bytes]) -> None:
    assert parent.stdin is not None
    parent.stdin.close()
    parent.wait()


def _serve() -> None:
    import gc

    from xlalint import api  # noqa: F401 - a child need not import it
    from xlalint.analysis import engine  # noqa: F401
    from xlalint.cli import check  # noqa: F401
    from xlalint.fixing import layout  # noqa: F401
    from xlalint.output import formats  # noqa: F401
    from xlalint.registry import all_rules

    all_rules()
    gc.freeze()
    for line in sys.stdin.buffer:
        child = os.fork()
        if child == 0:
            _run(**json.loads(line))
        _, status = os.waitpid(child, 0)
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))


def _run(arguments: list[str], folder: str, files: list[str], environment: dict[str, str]) -> NoReturn:
    import signal

    from xlalint.cli import main

    signal.alarm(LONGEST)
    for number, (file, way) in enumerate(zip(files, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        os.dup2(os.open(file, way), number)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["xlalint", *arguments]
    main()
    sys.exit(0)


if __name__ == "__main__":
    # Python puts the folder of a script first; what is checked must import nothing from there.
    del sys.path[0]
    _serve()
