"""The language server: what it holds together, and how it runs."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from queue import SimpleQueue
from typing import TYPE_CHECKING, BinaryIO

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from xlalint.server.analysis import Analysis
from xlalint.server.checks import Checks
from xlalint.server.conversion import Conversion
from xlalint.server.documents import Documents
from xlalint.server.features import NOTEBOOKS, register
from xlalint.server.positions import Units
from xlalint.server.preferences import Preferences
from xlalint.server.protocol import Protocol
from xlalint.server.publishing import Publisher
from xlalint.server.stream import bodies
from xlalint.server.worker import Worker

if TYPE_CHECKING:
    from pygls.server import ServerErrors

_LOGGER = logging.getLogger("xlalint")


_TURN = 0.001
"""For so many seconds the thread that analyzes keeps those waiting that read, answer and write."""


class Server(LanguageServer):
    """One server, for one client."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "xlalint", version("xlalint"), protocol_cls=Protocol, converter_factory=default_converter,
            notebook_document_sync=NOTEBOOKS,
        )  # fmt: skip
        self.documents = Documents()
        self.worker = Worker()
        self.analysis = Analysis()
        self.preferences = Preferences()
        self.publisher = Publisher(self)
        self.conversion = Conversion(self.documents.units, types.ClientCapabilities())
        self.checks = Checks(
            self.documents, self.analysis, self.worker, lambda: self.preferences.configuration, self.publisher
        )
        self.is_told_of_files = False
        """Whether the client tells of files on disk that change."""
        self._told: set[str] = set()
        self._status: asyncio.Future[int] | None = None
        register(self)

    def begin(self, encoding: types.PositionEncodingKind | str) -> None:
        """Agree with the client on how columns are counted, and on what it understands."""
        self.documents.units = Units(types.PositionEncodingKind(encoding).value)
        self.conversion = Conversion(self.documents.units, self.client_capabilities)

    def look_at_disk(self, paths: Sequence[str]) -> None:
        """Have the next check look at files on disk anew; no paths: at all."""
        self.worker.do(partial(self.analysis.reread, paths))

    async def run(self, stdin: BinaryIO, stdout: BinaryIO) -> int:
        """Serve a client until it says goodbye, or is gone. Returns the exit status."""
        loop = asyncio.get_running_loop()
        self._status = loop.create_future()
        writer = _Writer(stdout)
        self.protocol.set_writer(writer)

        def read() -> None:
            for body in bodies(stdin):
                loop.call_soon_threadsafe(self.protocol.receive, body)
            loop.call_soon_threadsafe(self.stop, 1)

        threading.Thread(target=read, daemon=True).start()
        status = await self._status
        writer.close()
        return status

    def stop(self, status: int) -> None:
        """Stop serving."""
        if self._status is not None and not self._status.done():
            self._status.set_result(status)

    def tell(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Show the user a message."""
        self.window_show_message(types.ShowMessageParams(kind, f"xlalint: {message}"))

    def note(self, message: str) -> None:
        """Write a message to standard error, which editors keep in a log."""
        _LOGGER.warning("%s", message)

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Show the user an error of our own, once; one that answers a request is shown by the client."""
        self.note(f"{type(error).__name__}: {error}")
        if source is not FeatureRequestError and str(error) not in self._told:
            self._told.add(str(error))
            self.tell(f"internal error, please report it: {error}")


class _Writer:
    """Writes in a thread of its own: a client that does not read must not keep us from reading."""

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._waiting: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Write some bytes, after all that were to be written before."""
        self._waiting.put(data)

    def close(self) -> None:
        """Wait a moment for what is not written yet."""
        self._waiting.put(None)
        self._thread.join(1.0)

    def _write(self) -> None:
        while (data := self._waiting.get()) is not None:
            try:
                self._stdout.write(data)
                self._stdout.flush()
            except OSError:
                return  # nobody reads any more; standard input ends, too


def serve() -> int:
    """Serve the client at standard input and output. Returns the exit status."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    sys.setswitchinterval(_TURN)
    # Python waits for nobody who reads or writes these when it ends, as it does for its own.
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anybody prints must not stand among the messages
    return asyncio.run(Server().run(stdin, stdout))
