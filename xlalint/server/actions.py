"""What an editor offers at a place: to fix, to suppress, to read about a rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from xlalint.cure import Cure
from xlalint.diagnostic import Applicability, Diagnostic, Edit, Fix
from xlalint.fixing.fixer import Choice
from xlalint.fixing.ignores import ignored_at, ignored_in_file
from xlalint.fixing.rewrite import Refused
from xlalint.server.analysis import Checked
from xlalint.server.documents import Part
from xlalint.server.edits import edit_of, workspace_edit
from xlalint.server.refactorings import offered

if TYPE_CHECKING:
    from xlalint.server.server import Server

QUICK_FIX = types.CodeActionKind.QuickFix
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.xlalint"
SHOW_RULE = "xlalint.showRule"
REFACTORING = types.CodeActionKind.RefactorRewrite
KINDS: Sequence[types.CodeActionKind | str] = (QUICK_FIX, FIX_ALL, REFACTORING)

_REFUSED = -32803
"""The protocol's code for a request that is well formed and cannot be carried out."""
_CHANGED = -32801
"""The protocol's code for an answer about a text that has changed."""


Action = types.CodeAction | types.Command


async def code_actions(ls: Server, params: types.CodeActionParams) -> list[Action]:
    """What can be done about some lines of a text."""
    checked = await ls.checks.of(params.text_document.uri)
    part = None if checked is None else checked.snapshot.part(params.text_document.uri)
    if checked is None or part is None:
        return []
    only = params.context.only
    here = _at(checked, part, params.range)
    actions = await ls.worker.do(lambda: [*_found(ls, checked, part, here)])
    if _asks_for(REFACTORING, only) and not here:
        line = params.range.start.line + 1 + part.above
        cures = await ls.worker.do(partial(offered, checked.snapshot, line))
        actions += (_refactoring(part, checked, cure, line) for cure in cures)
    actions = [action for action in actions if _asks_for(action.kind, only)]
    if not _resolves(ls):
        actions = [await _resolved(ls, action, checked) for action in actions]
    if _shows_documents(ls) and _asks_for(QUICK_FIX, only):
        return [*actions, *_pages(here)]
    return [*actions]


async def resolve(ls: Server, action: types.CodeAction) -> types.CodeAction:
    """Work out what an action changes.

    Raises:
        JsonRpcException: it cannot be carried out, or the text has changed since it was offered.
    """
    data = action.data
    if not isinstance(data, dict) or action.edit is not None:
        return action
    checked = ls.checks.last(str(data.get("uri")))
    if checked is None or checked.snapshot.revision != data.get("revision"):
        raise JsonRpcException("the text has changed; ask for actions again", _CHANGED)
    try:
        action.edit = await _edit(ls, checked, data)
    except Refused as refused:
        raise JsonRpcException(f"xlalint cannot do this here: {refused}", _REFUSED) from None
    return action


async def show_rule(ls: Any, url: str) -> None:
    """Open the page of a rule in a browser; `ls` is the server."""
    # pygls looks the types of a command up when it is called, and `Server` is then not known here.
    await ls.window_show_document_async(types.ShowDocumentParams(url, external=True))


def _found(
    ls: Server, checked: Checked, part: Part, here: Sequence[tuple[int, Diagnostic]]
) -> Iterator[types.CodeAction]:
    shown = {number: ls.conversion.diagnostic(number, checked) for number, _ in here}
    for number, found in here:
        for fix in found.fixes:
            if fix.applicability is not Applicability.SHOWN:
                yield types.CodeAction(
                    _title(fix), QUICK_FIX, [shown[number]],
                    is_preferred=fix.applicability is Applicability.SAFE or None,
                    data={**_about(part, checked), "diagnostic": number, "title": fix.title},
                )  # fmt: skip
    for number, found in here:
        yield from _suppressing(ls, checked, found, shown[number])
    fixes = (fix for found in checked.diagnostics for fix in found.fixes)
    if any(fix.applicability is Applicability.SAFE for fix in fixes):
        yield types.CodeAction(
            "Fix all that is safe (xlalint)", FIX_ALL, data={**_about(part, checked), "all": True}
        )


def _refactoring(part: Part, checked: Checked, cure: Cure, line: int) -> types.CodeAction:
    title = f"{cure.title} (unsafe: {cure.changes})"
    data = {**_about(part, checked), "line": line, "title": cure.title}
    return types.CodeAction(title, REFACTORING, data=data)


def _pages(here: Sequence[tuple[int, Diagnostic]]) -> Iterator[types.Command]:
    for url, found in {found.url: found for _, found in here if found.url}.items():
        yield types.Command(f"Open the page of {found.code} ({found.name})", SHOW_RULE, arguments=[url])


def _at(checked: Checked, part: Part, place: types.Range) -> list[tuple[int, Diagnostic]]:
    """The diagnostics that have a line in common with a range of the client, each with its number."""
    first, last = place.start.line + 1 + part.above, place.end.line + 1 + part.above
    return [
        (number, found)
        for number, found in enumerate(checked.diagnostics)
        if found.range.start.line <= last and first <= found.range.end.line
        if checked.part_of(number) is part
    ]


def _suppressing(
    ls: Server, checked: Checked, found: Diagnostic, shown: types.Diagnostic
) -> Iterator[types.CodeAction]:
    source = checked.report.sources.get(found.path)
    if source is None:
        return
    for where, edit in (
        ("on this line", ignored_at(source, found.range.start.line, found.code)),
        ("in this file", ignored_in_file(source, found.code)),
    ):
        if edit is not None:
            yield types.CodeAction(
                f"Suppress {found.code} {where}", QUICK_FIX, [shown], edit=_one(ls, checked, edit)
            )


def _title(fix: Fix) -> str:
    """What a fix does; of one that is not safe also what may change."""
    if fix.applicability is Applicability.SAFE:
        return fix.title
    return f"{fix.title} (unsafe: {fix.changes or 'it may change what the code computes'})"


def _about(part: Part, checked: Checked) -> dict[str, object]:
    """What tells later which text an action was offered for."""
    return {"uri": part.uri, "revision": checked.snapshot.revision}


async def _edit(ls: Server, checked: Checked, data: dict[str, Any]) -> types.WorkspaceEdit:
    open_texts, settings = ls.checks.open_texts(), ls.preferences.configuration
    if "line" in data:
        cures = await ls.worker.do(partial(offered, checked.snapshot, data["line"]))
        cure = next(cure for cure in cures if cure.title == data["title"])
        job = partial(ls.analysis.refactor, checked, open_texts, settings, cure)
    else:
        choice = None
        if "diagnostic" in data:
            choice = Choice(checked.diagnostics[data["diagnostic"]], data["title"])
        job = partial(ls.analysis.fix, checked, open_texts, settings, choice)
    changed = await ls.worker.do(job)
    units, versioned = ls.documents.units, _is_versioned(ls)
    return await ls.worker.do(partial(workspace_edit, changed, open_texts, units, versioned=versioned))


async def _resolved(ls: Server, action: types.CodeAction, checked: Checked) -> types.CodeAction:
    """An action with what it changes, for a client that does not ask for that later."""
    data = action.data
    if not isinstance(data, dict):
        return action
    try:
        action.edit = await _edit(ls, checked, data)
    except Refused as refused:
        action.disabled = types.CodeActionDisabled(str(refused))
    return action


def _one(ls: Server, checked: Checked, edit: Edit) -> types.WorkspaceEdit:
    part = checked.snapshot.part_at(edit.range.start.line)
    return edit_of(edit, part, ls.documents.units, versioned=_is_versioned(ls))


def _asks_for(
    kind: types.CodeActionKind | str | None, only: Sequence[types.CodeActionKind | str] | None
) -> bool:
    """Whether the client wants actions of a kind: all, or that kind, or one that it is a part of."""
    if only is None:
        return True
    own = str(getattr(kind, "value", kind))
    asked = [str(getattr(each, "value", each)) for each in only]
    return any(own == each or own.startswith(f"{each}.") for each in asked)


def _resolves(ls: Server) -> bool:
    offered = ls.client_capabilities.text_document
    acting = offered.code_action if offered is not None else None
    support = acting.resolve_support if acting is not None else None
    return support is not None and "edit" in support.properties


def _is_versioned(ls: Server) -> bool:
    workspace = ls.client_capabilities.workspace
    return workspace is not None and bool(
        workspace.workspace_edit and workspace.workspace_edit.document_changes
    )


def _shows_documents(ls: Server) -> bool:
    window = ls.client_capabilities.window
    return window is not None and window.show_document is not None and window.show_document.support
