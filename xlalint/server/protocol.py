"""What the server does with a message before anybody acts on it: its state, its form, the open texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

if TYPE_CHECKING:
    from xlalint.server.server import Server


class Protocol(LanguageServerProtocol):
    """As pygls has it, but for messages that are malformed or come too early or late, and for texts.

    pygls keeps texts as one string and ends lines as `str.splitlines` does; see `documents.py`.
    """

    _server: Server

    def receive(self, body: bytes) -> None:
        """Act on one message. Whatever is wrong with it is told to the client; it never raises."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            self._refuse(None, JsonRpcParseError.of(error))
            return
        if not isinstance(data, dict) or data.get("jsonrpc") != self.VERSION:
            self._refuse(None, JsonRpcInvalidRequest("not a message of JSON-RPC 2.0"))
            return
        method, number = data.get("method"), data.get("id")
        wrong = self._out_of_turn(method)
        if wrong is not None:
            self._refuse(number, wrong)
            return
        try:
            self.handle_message(self.structure_message(data))
        except JsonRpcException as error:
            self._refuse(number if method is not None else None, error)

    def _out_of_turn(self, method: object) -> JsonRpcException | None:
        """Why a message cannot be acted on now."""
        if method in (None, types.EXIT):
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server has been shut down")
        if (self._workspace is None) is (method == types.INITIALIZE):
            return None
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("the server is initialized already")
        return JsonRpcServerNotInitialized(f"{method} came before initialize")

    def _refuse(self, number: Any, error: JsonRpcException) -> None:
        """Answer a request with an error; what was no request, or cannot be told from one, is only noted."""
        if number is not None:
            self._send_response(number, error=error.to_response_error())
        self._server.note(f"refused a message: {error.message}")

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: object) -> None:  # type: ignore[override]
        """End the server, with the exit status that the protocol asks for."""
        self._server.stop(0 if self._shutdown else 1)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take a text on."""
        if self._server.documents.open(params.text_document):
            self._opened()

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Change a text."""
        if self._server.documents.change(params):
            self._server.checks.changed()

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a text."""
        uri = params.text_document.uri
        if self._server.documents.close(uri):
            self._server.checks.closed(uri)
            self._server.publisher.closed(uri)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """Take a notebook on."""
        if self._server.documents.open_notebook(params):
            self._opened()

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Change the cells of a notebook, or their texts."""
        gone = self._server.documents.change_notebook(params)
        if gone is not None:
            for uri in gone:
                self._server.publisher.closed(uri)
            self._server.checks.changed()

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """Forget a notebook."""
        uri = params.notebook_document.uri
        document = self._server.documents.get(uri)
        if document is not None and self._server.documents.close(uri):
            self._server.checks.closed(uri)
            for part in document.texts:
                self._server.publisher.closed(part)

    def _opened(self) -> None:
        if not self._server.is_told_of_files:
            self._server.look_at_disk(())
        self._server.checks.changed()
