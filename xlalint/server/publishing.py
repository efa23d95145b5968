"""How the user comes to see what was found: told by us, or asked for by the client, never both."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from xlalint.server.analysis import Checked
from xlalint.sources.file import digest

if TYPE_CHECKING:
    from xlalint.server.server import Server

PATIENCE = 1.0
"""A check that takes more seconds shows that it is under way."""

_RETRY = -32802
"""The protocol's code for a request that the server gives up and the client may send again."""


class Publisher:
    """Tells the client what checks find. Of a client that asks for it, it only says that it may ask again."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._told: dict[str, list[types.Diagnostic]] = {}
        """By the client's name, what it was told last, or could have asked for."""
        self._failures: list[str] = []
        self._waiting: asyncio.TimerHandle | None = None
        self._shown: asyncio.Task[str] | None = None

    @property
    def is_asked(self) -> bool:
        """Whether the client asks for diagnostics."""
        offered = self._server.client_capabilities.text_document
        return offered is not None and offered.diagnostic is not None

    def checking(self) -> None:
        """Show that a check is under way, if it takes long."""
        window = self._server.client_capabilities.window
        if window is not None and window.work_done_progress and self._waiting is None and self._shown is None:
            self._waiting = asyncio.get_running_loop().call_later(PATIENCE, self._show)

    def checked(self, found: dict[str, Checked]) -> None:
        """Tell what was found."""
        self._hide()
        others_changed = False
        for checked in found.values():
            for part in checked.snapshot.parts:
                diagnostics = self._server.conversion.diagnostics(checked, part)
                known = self._told.get(part.uri)
                self._told[part.uri] = diagnostics
                if not self.is_asked:
                    self._server.text_document_publish_diagnostics(
                        types.PublishDiagnosticsParams(part.uri, diagnostics, part.version)
                    )
                elif known is not None and known != diagnostics:
                    others_changed = True
        if others_changed:
            self._refresh()

    def closed(self, uri: str) -> None:
        """Forget a text, and have the client forget what was found in it."""
        if self._told.pop(uri, None) and not self.is_asked:
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def failed(self, reasons: list[str]) -> None:
        """Tell why texts could not be checked, once for each reason that persists."""
        for reason in reasons:
            if reason not in self._failures:
                self._server.tell(reason)
        self._failures = reasons

    async def report(self, uri: str, known: str | None) -> types.DocumentDiagnosticReport:
        """What a client that asks is told of a text.

        Args:
            known: What tells the report that the client has.

        Raises:
            JsonRpcException: the text has changed meanwhile.
        """
        document = self._server.documents.get(uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        revision = document.revision
        checked = await self._server.checks.of(uri)
        part = None if checked is None else checked.snapshot.part(uri)
        if checked is None or part is None:
            if document.revision != revision:
                raise JsonRpcException("the text has changed", _RETRY, {"retriggerRequest": True})
            return types.RelatedFullDocumentDiagnosticReport([])
        diagnostics = self._server.conversion.diagnostics(checked, part)
        self._told[uri] = diagnostics
        name = _name(diagnostics)
        if name == known:
            return types.RelatedUnchangedDocumentDiagnosticReport(name)
        return types.RelatedFullDocumentDiagnosticReport(diagnostics, result_id=name)

    def _refresh(self) -> None:
        workspace = self._server.client_capabilities.workspace
        if workspace is not None and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self._server.workspace_diagnostic_refresh(None)

    def _show(self) -> None:
        self._waiting = None
        self._shown = asyncio.get_running_loop().create_task(self._begin())

    async def _begin(self) -> str:
        token = str(uuid4())
        await self._server.work_done_progress.create_async(token)
        self._server.work_done_progress.begin(
            token, types.WorkDoneProgressBegin("xlalint", message="checking")
        )
        return token

    def _hide(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        if self._shown is not None:
            self._shown.add_done_callback(self._end)
            self._shown = None

    def _end(self, begun: asyncio.Task[str]) -> None:
        if not begun.cancelled() and begun.exception() is None:
            progress = self._server.work_done_progress
            progress.end(begun.result(), types.WorkDoneProgressEnd())
            progress.tokens.pop(begun.result(), None)


def _name(diagnostics: Sequence[types.Diagnostic]) -> str:
    """What tells one report from another."""
    return digest(repr(diagnostics).encode("utf-8", "surrogatepass"))
