"""A client of the language server, as pytest-lsp plays it: of Neovim, Emacs or VS Code."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest_lsp
from lsprotocol import types
from pygls.uris import from_fs_path
from pytest_lsp import LanguageClient

COMMAND = (sys.executable, "-m", "xlalint", "server")
PATIENCE = 20.0
"""So many seconds a test waits for what must come; nothing is asserted on time."""


class Client:
    """What a user does in an editor, and sees there."""

    def __init__(
        self, speaking: LanguageClient, folder: Path, result: types.InitializeResult, registered: list[str]
    ) -> None:
        """Args: registered: what the server has asked to be told of."""
        self.speaking = speaking
        self.folder = folder
        self.capabilities = result.capabilities
        self.registered = registered
        self._versions: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self.notebooks: dict[str, Notebook] = {}
        """By the name of a cell."""
        self.commands: list[types.Command] = []
        """Those that were last offered beside actions."""
        self._published: dict[str, int | None] = {}

        def published(params: types.PublishDiagnosticsParams) -> None:
            speaking.diagnostics[params.uri] = params.diagnostics
            self._published[params.uri] = params.version

        def refresh(params: None) -> None:
            self.refreshed += 1

        self.refreshed = 0
        """How often the client was asked to ask for inlay hints again."""
        speaking.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = published
        speaking.protocol.fm.features[types.WORKSPACE_INLAY_HINT_REFRESH] = refresh

    def uri(self, name: str) -> str:
        """How the client names a file in the folder; a name of its own stays."""
        if ":" in name:
            return name
        uri: str | None = from_fs_path(str(self.folder / name))
        assert uri is not None
        return uri

    def open(self, name: str, text: str | None = None) -> None:
        """Open a file, with what is on disk unless a text is given."""
        path = self.folder / name
        if text is None:
            text = path.read_bytes().decode()
        item = self.take(name, text)
        self.speaking.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def take(self, name: str, text: str, language: str = "python") -> types.TextDocumentItem:
        """Know a text, which the server must be told of."""
        self._versions[name] = 1
        self._texts[name] = text
        return types.TextDocumentItem(self.uri(name), language, 1, text)

    def edit(self, name: str, *changes: types.TextDocumentContentChangeEvent) -> int:
        """Change a text. Returns its new version."""
        self._versions[name] += 1
        for change in changes:
            self._texts[name] = changed(self._texts[name], change)
        document = types.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name))
        if name in self.notebooks:
            content = types.NotebookDocumentCellContentChanges(document, changes)
            self.notebooks[name].tell(types.NotebookDocumentCellChanges(text_content=[content]))
            return self._versions[name]
        self.speaking.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))
        return self._versions[name]

    def type(self, name: str, line: int, column: int, text: str, *, over: int = 0) -> int:
        """Type a text at a 0-based place, over so many units that stand there."""
        place = types.Range(types.Position(line, column), types.Position(line, column + over))
        return self.edit(name, types.TextDocumentContentChangePartial(place, text))

    def replace(self, name: str, text: str) -> int:
        """Replace the whole text."""
        return self.edit(name, types.TextDocumentContentChangeWholeDocument(text))

    def text(self, name: str) -> str:
        """What stands in an open file."""
        return self._texts[name]

    async def actions(
        self, name: str, line: int, *, only: Sequence[types.CodeActionKind | str] | None = None
    ) -> list[types.CodeAction]:
        """What is offered at the start of a 0-based line."""
        here = [found for found in self.shown(name) if found.range.start.line == line]
        place = types.Range(types.Position(line, 0), types.Position(line, 0))
        document = types.TextDocumentIdentifier(self.uri(name))
        asked = types.CodeActionParams(document, place, types.CodeActionContext(here, only))
        offered = await self.speaking.text_document_code_action_async(asked)
        self.commands = [action for action in offered or () if isinstance(action, types.Command)]
        return [action for action in offered or () if isinstance(action, types.CodeAction)]

    async def resolved(self, action: types.CodeAction) -> types.CodeAction:
        """An action with what it changes."""
        return await self.speaking.code_action_resolve_async(action)

    def apply(self, action: types.CodeAction) -> int:
        """Change open files as an action says. Returns the last version."""
        version = 0
        assert action.edit is not None
        edits = {uri: [*made] for uri, made in (action.edit.changes or {}).items()}
        for change in action.edit.document_changes or ():
            assert isinstance(change, types.TextDocumentEdit)
            edits[change.text_document.uri] = [e for e in change.edits if isinstance(e, types.TextEdit)]
        for name in self._versions:
            made = edits.pop(self.uri(name), [])
            for edit in sorted(
                made, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True
            ):
                typed = types.TextDocumentContentChangePartial(edit.range, edit.new_text)
                version = self.edit(name, typed)
        assert not edits
        return version

    async def hints(self, name: str) -> dict[int, str]:
        """By 0-based line, the inlay hints of a file."""
        place = types.Range(types.Position(0, 0), types.Position(self._texts[name].count("\n") + 1, 0))
        document = types.TextDocumentIdentifier(self.uri(name))
        hints = await self.speaking.text_document_inlay_hint_async(types.InlayHintParams(document, place))
        return {hint.position.line: str(hint.label) for hint in hints or ()}

    async def hover(self, name: str, line: int, column: int) -> str | None:
        """What is to be read at a 0-based place."""
        document = types.TextDocumentIdentifier(self.uri(name))
        asked = types.HoverParams(document, types.Position(line, column))
        shown = await self.speaking.text_document_hover_async(asked)
        if shown is None:
            return None
        assert isinstance(shown.contents, types.MarkupContent)
        return shown.contents.value

    def close(self, name: str) -> None:
        """Close a file."""
        document = types.TextDocumentIdentifier(self.uri(name))
        self.speaking.text_document_did_close(types.DidCloseTextDocumentParams(document))

    def shown(self, name: str) -> list[types.Diagnostic]:
        """The diagnostics that were published last."""
        return [*self.speaking.diagnostics.get(self.uri(name), ())]

    def version(self, name: str) -> int | None:
        """The version of the text that the last published diagnostics are about."""
        return self._published.get(self.uri(name))

    def set(self, settings: dict[str, Any]) -> None:
        """Set something in the editor."""
        self.speaking.set_configuration(settings, section="xlalint")
        self.speaking.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))

    def tell_of_files(self, *names: str) -> None:
        """Tell the server that files on disk have changed."""
        events = [types.FileEvent(self.uri(name), types.FileChangeType.Changed) for name in names]
        self.speaking.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))

    async def sees(self, name: str, *codes: str) -> list[types.Diagnostic]:
        """Wait until just these diagnostics are shown in a file, and return them in their order."""
        await self.until(lambda: sorted(str(found.code) for found in self.shown(name)) == sorted(codes))
        return self.shown(name)

    async def pull(self, name: str, known: str | None = None) -> types.DocumentDiagnosticReport:
        """Ask for the diagnostics of a file."""
        document = types.TextDocumentIdentifier(self.uri(name))
        return await self.speaking.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(document, previous_result_id=known)
        )

    async def until(self, holds: Callable[[], bool], *, pause: float = 0.01) -> None:
        """Wait until something holds; look again after so many seconds."""

        async def wait() -> None:
            while not holds():
                await asyncio.sleep(pause)

        await asyncio.wait_for(wait(), PATIENCE)


class Notebook:
    """An open notebook: its cells in their order, by the names under which the client knows them."""

    def __init__(self, client: Client, name: str, language: str = "python") -> None:
        self.cells: list[str] = []
        self._client = client
        self._name = name
        self._language = language
        self._version = 1
        self._made = 0

    def open(self, *texts: str) -> None:
        """Open it with these cells."""
        cells, items = zip(*map(self._new, texts), strict=True)
        self.cells = [item.uri for item in items]
        uri = self._client.uri(self._name)
        notebook = types.NotebookDocument(uri, "jupyter-notebook", 1, cells)
        self._client.speaking.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))

    def insert(
        self, place: int, text: str, kind: types.NotebookCellKind = types.NotebookCellKind.Code
    ) -> None:
        """Put a cell in front of the one that stands at a place."""
        cell, item = self._new(text, kind)
        self.cells.insert(place, item.uri)
        array = types.NotebookCellArrayChange(place, 0, [cell])
        self._rearrange(types.NotebookDocumentCellChangeStructure(array, [item]))

    def remove(self, place: int) -> None:
        """Take a cell out."""
        gone = types.TextDocumentIdentifier(self.cells.pop(place))
        array = types.NotebookCellArrayChange(place, 1)
        self._rearrange(types.NotebookDocumentCellChangeStructure(array, did_close=[gone]))

    def close(self) -> None:
        """Close it."""
        notebook = types.NotebookDocumentIdentifier(self._client.uri(self._name))
        cells = [types.TextDocumentIdentifier(cell) for cell in self.cells]
        self._client.speaking.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(notebook, cells)
        )

    def tell(self, changes: types.NotebookDocumentCellChanges) -> None:
        """Tell the server what has changed."""
        self._version += 1
        notebook = types.VersionedNotebookDocumentIdentifier(self._version, self._client.uri(self._name))
        event = types.NotebookDocumentChangeEvent(cells=changes)
        self._client.speaking.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(notebook, event)
        )

    def _rearrange(self, structure: types.NotebookDocumentCellChangeStructure) -> None:
        self.tell(types.NotebookDocumentCellChanges(structure))

    def _new(
        self, text: str, kind: types.NotebookCellKind = types.NotebookCellKind.Code
    ) -> tuple[types.NotebookCell, types.TextDocumentItem]:
        self._made += 1
        name = f"vscode-notebook-cell:{self._name.partition(':')[2] or self._name}#cell-{self._made}"
        self._client.notebooks[name] = self
        language = self._language if kind is types.NotebookCellKind.Code else "markdown"
        return types.NotebookCell(kind, name), self._client.take(name, text, language)


def changed(text: str, change: types.TextDocumentContentChangeEvent) -> str:
    """A text after a change, as an editor changes it; all of it in the basic plane."""
    if isinstance(change, types.TextDocumentContentChangeWholeDocument):
        return change.text
    lines = text.split("\n")

    def offset(place: types.Position) -> int:
        return sum(len(line) + 1 for line in lines[: place.line]) + place.character

    return text[: offset(change.range.start)] + change.text + text[offset(change.range.end) :]


@asynccontextmanager
async def connected(
    folder: Path, profile: str = "neovim@v0.7.0", *, settings: dict[str, Any] | None = None,
    offers: Callable[[types.ClientCapabilities], None] = lambda capabilities: None,
) -> AsyncIterator[Client]:  # fmt: skip
    """A client that has begun to speak with a server of its own, in a folder.

    Args:
        profile: The editor whose capabilities the client has.
        settings: What the user has set in the editor.
        offers: Changes what the client offers.
    """
    capabilities = pytest_lsp.client_capabilities(profile)
    offers(capabilities)
    speaking = pytest_lsp.make_test_lsp_client()
    speaking.set_configuration(settings or {}, section="xlalint")
    await speaking.start_io(*COMMAND)
    registered: list[str] = []

    def register(params: types.RegistrationParams) -> None:
        registered.extend(each.method for each in params.registrations)

    speaking.protocol.fm.features[types.CLIENT_REGISTER_CAPABILITY] = register
    process = speaking._server
    assert process is not None
    try:
        result = await speaking.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                root_uri=from_fs_path(str(folder)),
                initialization_options=settings,
            )
        )
        yield Client(speaking, folder, result, registered)
        await asyncio.wait_for(speaking.shutdown_session(), PATIENCE)
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
        await speaking.stop()  # type: ignore[no-untyped-call]
