"""What the server can be asked for, and who answers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

from xlalint.server import actions, hovers, states
from xlalint.server.preferences import SECTION, read_preferences
from xlalint.server.reports import REPORT

if TYPE_CHECKING:
    from xlalint.server.server import Server

WATCHED = (
    "**/*.py", "**/*.ipynb", "**/xlalint.toml", "**/pyproject.toml", "**/.gitignore", "**/requirements*.txt",
    "**/*.yaml", "**/*.yml", "**/*.json", f"**/{REPORT}",
)  # fmt: skip
"""Files on disk that what is found in open texts may rest on."""

NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithNotebook(
            types.NotebookDocumentFilterNotebookType("jupyter-notebook"),
            [types.NotebookCellLanguage("python")],
        )
    ]
)
"""The notebooks that the client is to tell of, and which of their cells."""


def register(server: Server) -> None:
    """Have the server answer all that it can be asked for."""
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched_files)
    actions_offered = types.CodeActionOptions(actions.KINDS, resolve_provider=True)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, actions_offered)(actions.code_actions)
    server.feature(types.CODE_ACTION_RESOLVE)(actions.resolve)
    server.command(actions.SHOW_RULE)(actions.show_rule)
    server.feature(types.TEXT_DOCUMENT_HOVER)(hovers.hover)
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(states.inlay_hints)


def initialize(ls: Server, params: types.InitializeParams) -> None:
    """Agree with the client on what both understand."""
    ls.begin(ls.workspace.position_encoding or types.PositionEncodingKind.Utf16)
    ls.preferences = read_preferences(params.initialization_options)
    folders = params.workspace_folders
    root = params.root_uri or (folders[0].uri if folders else None)
    path = to_fs_path(root) if root else params.root_path
    if path and os.path.isdir(path):  # noqa: PTH112 - never raises
        os.chdir(path)  # as the command is called there: paths are shown from it
    if ls.publisher.is_asked:
        options = types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=False, identifier="xlalint"
        )
        ls.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(diagnostic)


async def initialized(ls: Server, params: types.InitializedParams) -> None:
    """Ask the client for its settings, and to tell of changes."""
    workspace = ls.client_capabilities.workspace or types.WorkspaceClientCapabilities()
    wanted = []
    watching = workspace.did_change_watched_files
    if watching is not None and watching.dynamic_registration:
        watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
        options: object = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    configuring = workspace.did_change_configuration
    if configuring is not None and configuring.dynamic_registration:
        options = types.DidChangeConfigurationRegistrationOptions(SECTION)
        wanted.append(types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
    if wanted:
        try:
            await ls.client_register_capability_async(types.RegistrationParams(wanted))
            ls.is_told_of_files = wanted[0].id == "files"
        except JsonRpcException as error:
            ls.note(f"the client does not tell of changed files or settings: {error}")
    await _configure(ls, None)


async def did_change_configuration(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    """Take the settings of the client as they are now."""
    await _configure(ls, params.settings)


def did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Files on disk have changed, settings perhaps among them."""
    paths = [path for change in params.changes if (path := to_fs_path(change.uri)) is not None]
    ls.look_at_disk(paths)
    ls.checks.changed()


async def diagnostic(ls: Server, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    """What is found in a text, for a client that asks."""
    return await ls.publisher.report(params.text_document.uri, params.previous_result_id)


async def _configure(ls: Server, sent: object) -> None:
    workspace = ls.client_capabilities.workspace
    if workspace is not None and workspace.configuration:
        items = [types.ConfigurationItem(section=SECTION)]
        (sent,) = await ls.workspace_configuration_async(types.ConfigurationParams(items))
    if sent:
        ls.preferences = read_preferences(sent)
        ls.checks.changed()
        hinting = workspace.inlay_hint if workspace is not None else None
        if hinting is not None and hinting.refresh_support:
            await ls.workspace_inlay_hint_refresh_async(None)
