"""When texts are checked, and who is told what was found.

A check looks at all open texts, because what is found in one may rest on another. One that runs when
something changes is given up, and one check follows for all changes. What was found in a text that has
changed meanwhile is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Protocol

from xlalint.server.analysis import Analysis, Checked, Findings, Settings, internal_error
from xlalint.server.documents import Documents, Snapshot
from xlalint.server.worker import Worker
from xlalint.session import Unwanted


class Listener(Protocol):
    """Who is told of checks."""

    def checking(self) -> None:
        """A check has begun."""

    def checked(self, found: dict[str, Checked]) -> None:
        """A check has ended: what was found in texts that are as they were, by the client's name of each."""

    def failed(self, reasons: list[str]) -> None:
        """Some texts could not be checked; none any more where there are no reasons."""


class Checks:
    """Keeps what is found in step with the texts."""

    def __init__(
        self, documents: Documents, analysis: Analysis, worker: Worker, settings: Callable[[], Settings],
        listener: Listener,
    ) -> None:  # fmt: skip
        self._documents = documents
        self._analysis = analysis
        self._worker = worker
        self._settings = settings
        self._listener = listener
        self._wanted = 0
        """How often something has changed."""
        self._done = 0
        """The changes that the last check saw."""
        self._checked: dict[str, Checked] = {}
        self._task: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()

    def changed(self) -> None:
        """Something has changed: a text, a file on disk, or a setting."""
        self._wanted += 1
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())

    def closed(self, uri: str) -> None:
        """A file was closed, and what is on disk counts again."""
        self._checked.pop(uri, None)
        self.changed()

    def last(self, uri: str) -> Checked | None:
        """What was last found in the file that a text is a part of, if all of it is as it was."""
        document = self._documents.get(uri)
        checked = None if document is None else self._checked.get(document.uri)
        if checked is None or document is None or checked.snapshot.revision != document.revision:
            return None
        return checked

    async def of(self, uri: str) -> Checked | None:
        """What is found in the file that a text is a part of, as it is now.

        None if it is not open, changes meanwhile, or cannot be checked.
        """
        wanted = self._wanted
        while self._done < wanted:
            await self._ended.wait()
        return self.last(uri)

    def open_texts(self) -> list[Snapshot]:
        """All open texts as they are now."""
        return [document.snapshot() for document in self._documents]

    async def _run(self) -> None:
        while self._done < self._wanted:
            seen = self._wanted
            texts = self.open_texts()
            found = Findings()
            if texts:
                self._listener.checking()
                check = partial(self._analysis.check, texts, self._settings(), partial(self._is_last, seen))
                try:
                    found = await self._worker.do(check)
                except Unwanted:
                    continue
                except Exception as error:
                    found.wrong.append(internal_error(error, "checking"))
            self._done = seen
            self._take(found)
            self._ended.set()
            self._ended = asyncio.Event()

    def _is_last(self, seen: int) -> bool:
        """Whether nothing has changed since so many changes; asked by the thread that analyzes."""
        return self._wanted == seen

    def _take(self, found: Findings) -> None:
        current: dict[str, Checked] = {}
        for uri, checked in found.checked.items():
            document = self._documents.get(uri)
            if document is not None and document.revision == checked.snapshot.revision:
                current[uri] = checked
        self._checked.update(current)
        self._listener.checked(current)
        self._listener.failed(found.wrong)
