"""A bar on standard error, for whoever waits at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from xlalint.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console

_DELAY = 1.0
"""Most runs are over by then; in seconds."""
_INTERVAL = 0.1


@contextmanager
def shown(*, quiet: bool) -> Iterator[Progress | None]:
    """Show how far the analysis has come, where somebody can see it and it takes long."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    progress = Progress()
    with drawn(progress, None, _DELAY):
        yield progress


@contextmanager
def drawn(progress: Progress, console: Console | None, delay: float) -> Iterator[None]:
    """Draw a bar from another thread, and take it away at the end.

    Args:
        console: Where; None: standard error.
        delay: Seconds to wait before.
    """
    ended = Event()
    thread = Thread(target=_draw, args=(progress, console, delay, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _draw(progress: Progress, console: Console | None, delay: float, ended: Event) -> None:
    if ended.wait(delay):
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    from xlalint.sources.file import show

    columns = (TextColumn("xlalint"), BarColumn(30), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=console or Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        while True:
            bar.update(
                task, completed=progress.done, total=progress.total or None,
                description=show(Path(progress.file)) if progress.file else "reading",
            )  # fmt: skip
            if ended.wait(_INTERVAL):
                return
