"""What a finding says would mend it: cures of the right sort, at places that make sense."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache
from itertools import chain
from pathlib import Path
from textwrap import indent
from typing import TypeVar

import pytest

from fixture_programs import Program, bad_programs
from xlalint.analysis.engine import Program as Analyzed
from xlalint.configuration import Configuration, Local
from xlalint.cure import (
    AutocastOnXla,
    BindNow,
    ByHand,
    CompileFunction,
    Cure,
    DropArgument,
    DropScaler,
    DropSetting,
    DropSuppression,
    EndBefore,
    FillByMask,
    Hoist,
    InEveryStep,
    KeepOnDevice,
    LoadAhead,
    MoveAbove,
    MoveBelow,
    MoveInto,
    PassArgument,
    ReadFirst,
    Remove,
    Rename,
    RenameKeyword,
    SeedDevice,
    StackReads,
    Swap,
    SyncBefore,
    SyncBelow,
    TieBelow,
    Unwrap,
    WaitBefore,
    Where,
    WrapBody,
    WriteTuple,
)
from xlalint.cure import placed as filled_in
from xlalint.diagnostic import Applicability
from xlalint.judging import Judge, Occurrence, Placed, located
from xlalint.knowledge import lifecycle
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import BoundReached, Cut, Event, FileUnreadable, SuppressionUnused
from xlalint.lazy.scopes import Scope, ScopeKind, Scopes
from xlalint.lazy.site import Site
from xlalint.lazy.state import View
from xlalint.registry import all_rules, find
from xlalint.sources.file import SourceFile, read
from xlalint.testing import Expected
from xlalint.versions import DEFAULT_TARGET, VersionRange, parse_range

SAFE, UNSAFE, SHOWN = Applicability.SAFE, Applicability.UNSAFE, Applicability.SHOWN

CURES: dict[str, set[tuple[type[Cure], Applicability]]] = {
    "XLA001": {(Rename, SAFE), (RenameKeyword, SAFE), (DropArgument, UNSAFE)},
    "XLA002": {(Rename, SAFE)},
    "XLA003": {(DropSetting, UNSAFE), (ByHand, SHOWN)},
    "XLA004": {(ByHand, SHOWN)},
    "XLA101": {(MoveBelow, UNSAFE)},
    "XLA102": {(WrapBody, UNSAFE), (MoveBelow, UNSAFE), (SyncBefore, UNSAFE), (ByHand, SHOWN)},
    "XLA103": {(Rename, UNSAFE), (PassArgument, UNSAFE), (ByHand, SHOWN)},
    "XLA104": {(StackReads, UNSAFE), (ByHand, SHOWN)},
    "XLA105": {(ByHand, SHOWN)},
    "XLA106": {(WrapBody, UNSAFE), (MoveBelow, UNSAFE)},
    "XLA107": {(PassArgument, UNSAFE)},
    "XLA201": {(WrapBody, UNSAFE)},
    "XLA202": {(WrapBody, UNSAFE)},
    "XLA203": {(WrapBody, UNSAFE), (SyncBefore, UNSAFE)},
    "XLA204": {(Remove, UNSAFE), (DropArgument, UNSAFE), (Swap, UNSAFE), (Unwrap, UNSAFE)},
    "XLA205": {(Remove, UNSAFE)},
    "XLA206": {(Remove, UNSAFE)},
    "XLA207": {(BindNow, UNSAFE), (ByHand, SHOWN)},
    "XLA208": {(ByHand, SHOWN)},
    "XLA209": {(ByHand, SHOWN)},
    "XLA210": {(CompileFunction, UNSAFE), (CompileFunction, SHOWN), (WrapBody, UNSAFE)},
    "XLA211": {(CompileFunction, UNSAFE), (CompileFunction, SHOWN)},
    "XLA212": {(MoveInto, UNSAFE), (ReadFirst, UNSAFE)},
    "XLA213": {(ByHand, SHOWN)},
    "XLA301": {
        (EndBefore, UNSAFE), (DropArgument, UNSAFE), (Remove, UNSAFE), (Swap, UNSAFE), (Swap, SHOWN),
    },
    "XLA302": {(WaitBefore, UNSAFE), (ByHand, SHOWN)},
    "XLA303": {(ByHand, SHOWN)},
    "XLA304": {(ByHand, SHOWN)},
    "XLA401": {(FillByMask, UNSAFE), (ByHand, SHOWN)},
    "XLA402": {(ByHand, SHOWN)},
    "XLA403": {(ByHand, SHOWN)},
    "XLA404": {(PassArgument, UNSAFE)},
    "XLA405": {(PassArgument, UNSAFE), (ByHand, SHOWN)},
    "XLA406": {(ByHand, SHOWN)},
    "XLA408": {(SyncBelow, UNSAFE), (ByHand, SHOWN)},
    "XLA501": {(SyncBefore, UNSAFE)},
    "XLA502": {(MoveBelow, SHOWN), (MoveAbove, SHOWN), (ByHand, SHOWN)},
    "XLA503": {(ByHand, SHOWN)},
    "XLA504": {(ByHand, SHOWN)},
    "XLA505": {(Rename, UNSAFE), (ByHand, SHOWN)},
    "XLA506": {(ByHand, SHOWN)},
    "XLA507": {(ByHand, SHOWN)},
    "XLA508": {(ByHand, SHOWN)},
    "XLA509": {(ByHand, SHOWN)},
    "XLA510": {(DropArgument, UNSAFE)},
    "XLA511": {(ByHand, SHOWN)},
    "XLA512": {(ByHand, SHOWN)},
    "XLA513": {(ByHand, SHOWN)},
    "XLA514": {(ByHand, SHOWN)},
    "XLA515": {(ByHand, SHOWN)},
    "XLA516": {(ByHand, SHOWN)},
    "XLA517": {(ByHand, SHOWN)},
    "XLA601": {(Rename, UNSAFE), (ByHand, SHOWN)},
    "XLA602": {(SyncBefore, UNSAFE), (MoveBelow, UNSAFE)},
    "XLA603": {(MoveBelow, UNSAFE)},
    "XLA604": {(ByHand, SHOWN)},
    "XLA605": {(ByHand, SHOWN)},
    "XLA606": {(ByHand, SHOWN), (PassArgument, UNSAFE)},
    "XLA607": {(ByHand, SHOWN)},
    "XLA608": {(InEveryStep, UNSAFE), (ByHand, SHOWN)},
    "XLA609": {(ByHand, SHOWN)},
    "XLA610": {(ByHand, SHOWN)},
    "XLA701": {(MoveAbove, UNSAFE), (MoveBelow, UNSAFE), (ByHand, SHOWN)},
    "XLA702": {(TieBelow, UNSAFE)},
    "XLA707": {(SeedDevice, UNSAFE), (ByHand, SHOWN)},
    "XLA706": {(EndBefore, UNSAFE), (ByHand, SHOWN)},
    "XLA710": {(ByHand, SHOWN)},
    "XLA708": {(Rename, UNSAFE), (Rename, SHOWN)},
    "XLA705": {(AutocastOnXla, UNSAFE)},
    "XLA801": {(LoadAhead, UNSAFE), (ByHand, SHOWN)},
    "XLA802": {(Hoist, UNSAFE), (ByHand, SHOWN)},
    "XLA803": {(ByHand, SHOWN)},
    "XLA804": {(ByHand, SHOWN)},
    "XLA805": {(MoveAbove, UNSAFE), (ByHand, SHOWN)},
    "XLA806": {(ByHand, SHOWN)},
    "XLA807": {(WriteTuple, SAFE), (ByHand, SHOWN)},
    "XLA808": {(ByHand, SHOWN)},
    "XLA812": {(ByHand, SHOWN)},
    "XLA709": {(ByHand, SHOWN)},
    "XLA711": {(DropArgument, UNSAFE)},
    "XLA712": {(ByHand, SHOWN)},
    "XLA703": {(DropScaler, UNSAFE), (KeepOnDevice, UNSAFE), (ByHand, SHOWN)},
    "XLA809": {(PassArgument, UNSAFE)},
    "XLA811": {(ByHand, SHOWN)},
    "XLA810": {(ByHand, SHOWN)},
    "XLA814": {(ByHand, SHOWN)},
    "XLA901": {(ByHand, SHOWN)},
    "XLA902": {(WrapBody, UNSAFE)},
    "XLA903": {(ByHand, SHOWN)},
    "XLA904": {(ByHand, SHOWN)},
    "XLA905": {(ByHand, SHOWN)},
}  # fmt: skip
"""What the fixture programs of each rule are offered; of some rules there is more, below."""

SUPPRESSIONS, WITHOUT = {"XLA090"}, {"XLA000", "XLA091", "XLA092", "XLA108", "XLA407"}

PROGRAMS = [program for program in bad_programs() if program.code in CURES]


# To the findings --------------------------------------------------------------------------------


def found(
    modules: Sequence[Path], code: str, folder: Path, target: VersionRange = DEFAULT_TARGET
) -> list[Placed]:
    """What one rule finds in a program, with its cures."""
    files = [file for file in map(read, modules) if isinstance(file, SourceFile)]
    assert len(files) == len(modules)
    judge = Judge([find(code)(target)])
    # Which files nothing brings torch_xla to is said by the project that they are in.
    unregistered = {str(module): frozenset[str]() for module in modules if code == "XLA004"}
    at = Configuration(lambda _: Local(roots=(folder,)))
    helped = [file.path for file in files if not file.is_hot]
    analyzed = Analyzed(files, judge.kinds, at, helped=helped, unregistered=unregistered)
    results = [result for _, result, told in analyzed.analyze() if result is not None and told]
    return [
        located(placed, analyzed.where) for result in results for placed in judge.judge(result.occurrences)
    ]


@cache
def found_in(program: Program, target: VersionRange = DEFAULT_TARGET) -> tuple[Placed, ...]:
    return tuple(found(program.modules, program.code or "", program.entry.parent, target))


def found_in_text(text: str, code: str, folder: Path, target: VersionRange = DEFAULT_TARGET) -> list[Placed]:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return found([path], code, folder, target)


def cures_of(findings: Sequence[Placed]) -> list[Cure]:
    return [cure for placed in findings for cure in placed.finding.cures]


def only_cure(findings: Sequence[Placed]) -> Cure:
    """The one cure that all of them carry: one place may be found in several ways."""
    cures = cures_of(findings)
    assert cures and all(cure == cures[0] for cure in cures)
    return cures[0]


WITHOUT_SUCCESSOR = {"XLA001/loop_of_2019", "XLA001/norm_of_torch_six"}
"""Programs that take what has no successor: a package of another shape, or a part that torch has lost."""


def programs_of(code: str) -> list[Program]:
    return [program for program in PROGRAMS if program.code == code]


def named(slug: str) -> Program:
    (program,) = (program for program in PROGRAMS if program.id == slug)
    return program


# Which cures ------------------------------------------------------------------------------------


def test_every_rule_is_known_to_have_cures_or_none() -> None:
    assert {rule.code for rule in all_rules()} == CURES.keys() | SUPPRESSIONS | WITHOUT


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_every_marked_line_is_offered_a_cure(program: Program) -> None:
    def line(mark: Expected) -> tuple[str, int]:
        return str(mark.path), mark.line

    marked = {
        line(mark)
        for mark in program.expectations
        if mark.code == program.code and program.id not in WITHOUT_SUCCESSOR
    }
    cured = {placed.path[0][:2] for placed in found_in(program) if placed.finding.cures}
    assert cured == marked


@pytest.mark.parametrize("code", CURES)
def test_the_cures_of_a_rule_are_of_the_stated_sorts(code: str) -> None:
    cures = chain.from_iterable(cures_of(found_in(program)) for program in programs_of(code))
    assert {(type(cure), cure.applicability) for cure in cures} == CURES[code]


@pytest.mark.parametrize("event", [BoundReached(Site("a.py", 1)), FileUnreadable(Site("a.py", 1))])
def test_what_nobody_can_mend_is_offered_no_cure(event: Event) -> None:
    rules = [rule(DEFAULT_TARGET) for rule in all_rules() if type(event) in rule.events]
    findings = [*Judge(rules).judge([Occurrence(event, View())])]
    assert findings and not cures_of(findings)


def test_an_unused_suppression_goes_without_asking() -> None:
    site = Site("a.py", 1, 18, 1, 60)
    event = SuppressionUnused(site, codes=("XLA101",))
    findings = [*Judge([find("XLA090")(DEFAULT_TARGET)]).judge([Occurrence(event, View())])]
    cure = only_cure(findings)
    assert cure == DropSuppression(site, ("XLA101",), title=cure.title, applicability=SAFE)


@pytest.mark.parametrize("codes", [(), ("XLA999",)])
def test_a_suppression_that_somebody_relies_on_is_never_deleted(codes: tuple[str, ...]) -> None:
    event = SuppressionUnused(Site("a.py", 1, 18, 1, 60), codes=codes, fault="it is wrong", meant="# right")
    (finding,) = Judge([find("XLA090")(DEFAULT_TARGET)]).judge([Occurrence(event, View())])
    assert cures_of([finding]) == []
    assert "# right" in finding.finding.help


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_a_cure_says_what_it_does_and_no_more_than_that(program: Program) -> None:
    for cure in cures_of(found_in(program)):
        assert cure.title[0].isupper() and not cure.title.endswith(".")
        assert "\n" not in cure.title + cure.changes
        assert cure.applicability is not SAFE or not cure.changes


# Where ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_cures_name_places_that_make_sense(program: Program) -> None:
    for cure in cures_of(found_in(program)):
        for each in (cure, *cure.also):
            for site in sites_in(each):
                assert Path(site.path) in program.modules
                assert statement(site) is not None or is_decorator(site)
            assert is_sensible(each), each


def sites_in(cure: Cure) -> Iterator[Site]:
    for field in fields(cure):
        held = getattr(cure, field.name)
        if isinstance(held, Site):
            yield held
        elif isinstance(held, tuple):
            yield from (each for each in held if isinstance(each, Site))


def is_sensible(cure: Cure) -> bool:
    """Whether what stands at the sites of a cure is of the kind that it speaks of."""
    match cure:
        case Rename(site=site, successor=successor):
            named = nodes(site, ast.Name, ast.Attribute, ast.alias, ast.Call)
            of_torch = successor.startswith("torch.")
            return bool(named) and (of_torch or lifecycle.exists(successor, DEFAULT_TARGET.high))
        case RenameKeyword(site=site, keyword=keyword, successor=successor):
            exists = lifecycle.exists(f"torch_xla.compile({successor})", DEFAULT_TARGET.high)
            return exists and [node.arg for node in nodes(site, ast.keyword)] == [keyword]
        case DropArgument(site=site, keyword=keyword):
            (*_, call) = (node for node in around(site) if isinstance(node, ast.Call))
            return keyword in {given.arg for given in call.keywords}
        case DropSetting(site=site, variable=variable):
            return any(node.value == variable for node in nodes(site, ast.Constant))
        case Remove(site=site):
            return is_marker(site)
        case SyncBefore(site=Site() as site):
            return isinstance(statement(site), SIMPLE | ast.If)
        case WrapBody(loop=Site() as site, markers=markers, below=below):
            (*_, loop) = (node for node in around(site) if isinstance(node, ast.For | ast.While))
            inside = [place for place in (*markers, *below) if isinstance(place, Site)]
            return all(loop in around(place) for place in inside) and all(map(is_call, markers))
        case SyncBelow(scope=Site() as site):
            return opens_block(site) or isinstance(statement(site), SIMPLE | ast.If)
        case Unwrap(site=site) | EndBefore(scope=Site() as site):
            return opens_block(site)
        case Swap(outer=Site() as outer, inner=inner):
            return opens_block(outer) and isinstance(statement(inner), ast.With | ast.For)
        case MoveBelow(what=Site() as what, below=Site() as below):
            known = opens_block(below) or isinstance(statement(below), SIMPLE | ast.If)
            return known and isinstance(statement(what), SIMPLE | ast.If)
        case MoveAbove(what=what, above=Site() as above):
            return isinstance(statement(what), SIMPLE) and isinstance(statement(above), SIMPLE | ast.If)
        case MoveInto(what=what):
            return all(isinstance(statement(site), SIMPLE) for site in what)
        case ReadFirst(read=site, work=work):
            return is_call(site) and all(nodes(site, ast.Call)[0] in around(place) for place in work)
        case FillByMask(site=site):
            return isinstance(statement(site), ast.Assign)
        case CompileFunction(site=site):
            return isinstance(statement(site), ast.FunctionDef)
        case LoadAhead(loop=Site() as site):
            return bool(nodes(site, ast.For))
        case Hoist(site=site) | InEveryStep(site=site):
            return bool(nodes(site, ast.Call))
        case WriteTuple(site=site):
            return bool(nodes(site, ast.List))
        case (
            KeepOnDevice(site=site)
            | PassArgument(site=site)
            | AutocastOnXla(site=site)
            | TieBelow(site=site)
            | StackReads(site=site)
            | SeedDevice(site=site)
            | WaitBefore(site=site)
            | BindNow(site=site)
        ):
            return is_call(site)
        case DropScaler(site=site):
            return [ast.unparse(call.func).endswith(".step") for call in nodes(site, ast.Call)] == [True]
        case ByHand():
            return cure.applicability is SHOWN
    return False


SIMPLE = ast.Expr | ast.Assign | ast.AugAssign | ast.Return | ast.Break | ast.Raise
Node = TypeVar("Node", bound=ast.AST)


@cache
def tree(path: str) -> ast.Module:
    return ast.parse(Path(path).read_bytes())


def span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]] | None:
    if not isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.alias):
        return None
    assert node.end_lineno is not None and node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def around(site: Site) -> list[ast.AST]:
    """The nodes that hold a site, from the outermost inwards."""
    start, end = (site.line, site.column), (site.end_line, site.end_column)
    holding = []
    for node in ast.walk(tree(site.path)):
        held = span(node)
        if held is not None and held[0] <= start and end <= held[1]:
            holding.append(node)
    return holding


def statement(site: Site) -> ast.stmt | None:
    """The innermost statement that holds a site."""
    statements = [node for node in around(site) if isinstance(node, ast.stmt)]
    return statements[-1] if statements else None


def nodes(site: Site, *kinds: type[Node]) -> list[Node]:
    """The nodes of these kinds that stand exactly there."""
    exact = (site.line, site.column), (site.end_line, site.end_column)
    return [node for node in around(site) if span(node) == exact and isinstance(node, kinds)]


def is_decorator(site: Site) -> bool:
    """Whether a decorator stands there: above the `def`, with which its statement begins."""
    definitions = ast.walk(ast.parse(Path(site.path).read_text(encoding="utf-8")))
    return any(
        span(decorator) == ((site.line, site.column), (site.end_line, site.end_column))
        for node in definitions
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    )


def is_call(site: Site) -> bool:
    return bool(nodes(site, ast.Call))


def is_marker(site: Site) -> bool:
    """Whether a marker is called there, or a name that the file has bound to one."""
    match statement(site), nodes(site, ast.Call):
        case ast.Expr(value=value), [call] if value is call:
            called = ast.unparse(call.func)
            bound = re.compile(rf"^ *{re.escape(called)} = .*\b(sync|mark_step)\b", re.MULTILINE)
            is_bound = bound.search(Path(site.path).read_text(encoding="utf-8")) is not None
            return is_bound or called.endswith(("sync", "mark_step"))
    return False


def opens_block(site: Site) -> bool:
    """Whether a `with` opens a scope there, or a function stands there that runs in one."""
    match statement(site):
        case ast.With(items=items):
            return any(item.context_expr in nodes(site, ast.expr) for item in items)
        case ast.FunctionDef():
            return True
    return False


# Across calls -----------------------------------------------------------------------------------


def lines_with(text: str, path: Path) -> list[int]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if text in line]


def test_a_read_three_calls_deep_moves_below_the_scope_of_the_caller() -> None:
    program = named("XLA101/read_three_calls_deep")
    (placed,) = found_in(program)
    (cure,) = placed.finding.cures
    assert isinstance(cure, MoveBelow) and isinstance(cure.below, Site)
    assert (cure.below.path, [cure.below.line]) == (
        str(program.entry),
        lines_with("with torch_xla.step()", program.entry),
    )
    assert cure.what == placed.path[-1] != placed.path[0]
    assert placed.path[0].path == str(program.entry)


def test_a_cut_comes_before_the_test_of_the_caller() -> None:
    program = named("XLA501/checkpoint_three_calls_deep")
    (placed,) = found_in(program)
    (cure,) = placed.finding.cures
    assert isinstance(cure, SyncBefore) and isinstance(cure.site, Site)
    assert (cure.site.path, [cure.site.line]) == (
        str(program.entry),
        lines_with("if xr.global_ordinal() == 0", program.entry),
    )


def test_scopes_are_filled_in_wherever_a_cure_holds_them() -> None:
    """Also in a list of places, and in what has to be done with it; a cell stays what it is."""
    scope, site = Scope(ScopeKind.STEP, Site("a.py", 1)), Site("book.ipynb", 2, cell=3)
    inner = Site("a.py", 7)

    def place(where: Where) -> Site:
        return where if isinstance(where, Site) else inner

    cure = WrapBody(scope, below=(scope, site), also=(SyncBelow(scope),))
    filled = WrapBody(inner, below=(inner, site), also=(SyncBelow(inner),))
    assert filled_in(cure, place) == filled


def test_replicas_meet_below_the_step() -> None:
    """Which the guard alone sees: the analyzer takes a rendezvous for no cut."""
    scope, event = Scope(ScopeKind.STEP, Site("a.py", 1)), Cut(Site("a.py", 3), cause=Cause.RENDEZVOUS)
    occurrence = Occurrence(event, View(Scopes((scope,))))
    cure = only_cure([*Judge([find("XLA204")(DEFAULT_TARGET)]).judge([occurrence])])
    assert isinstance(cure, MoveBelow)
    assert (cure.what, cure.below) == (event.site, scope.site)


# What is written must be there ------------------------------------------------------------------


def test_a_step_scope_is_offered_only_where_the_target_has_it() -> None:
    for slug, left in (("XLA202/trainer_over_steps", []), ("XLA203/break_then_save", [SyncBefore])):
        cures = cures_of(found_in(named(slug), parse_range("2.3..2.9")))
        assert [type(cure) for cure in cures] == left


@pytest.mark.parametrize(
    ("target", "parameters"),
    [
        ("2.4..2.9", (("wait", ""), ("reset_scope", ""))),
        ("2.5..2.9", (("wait", "wait"), ("reset_scope", ""))),
        ("2.8..2.9", (("wait", "wait"), ("reset_scope", "reset_scope"))),
    ],
)
def test_a_rename_knows_what_the_successor_takes(
    target: str, parameters: tuple[tuple[str, str], ...]
) -> None:
    (marker, *_) = cures_of(found_in(named("XLA002/old_spellings"), parse_range(target)))
    assert isinstance(marker, Rename)
    assert (marker.successor, marker.parameters) == ("torch_xla.sync", parameters)


def test_a_successor_that_came_later_is_only_shown() -> None:
    (cure,) = cures_of(found_in(named("XLA001/compiled_step"), parse_range("2.4..2.9")))
    assert isinstance(cure, Rename)
    assert (cure.successor, cure.applicability) == ("torch_xla.compile", SHOWN)


# What no fixture program shows ------------------------------------------------------------------

TRAINING = """
import math
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
from safetensors.torch import save_file

device = torch_xla.device()
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def record(x):
    optimizer.zero_grad()
    loss = model(x.to(device)).square().mean()
    loss.backward()
    xm.optimizer_step(optimizer)
    return loss


for batch in [torch.ones(4, 8)] * 3:
"""


@pytest.mark.parametrize(
    ("code", "body", "wanted"),
    [
        ("XLA103", "print(math.sqrt(record(batch)))\ntorch_xla.sync()", [Rename]),
        (
            "XLA301",
            "with xp.StepTrace('step'):\n    xm.optimizer_step(optimizer, barrier=True)",
            [DropArgument],
        ),
        ("XLA301", "with xp.Trace('step'):\n    with xp.StepTrace('inner'):\n        record(batch)", [Swap]),
        (
            "XLA501",
            "with torch_xla.step():\n    record(batch)\n    if xm.is_master_ordinal():\n"
            "        xm.save(model.state_dict(), 'model.pt')",
            [MoveBelow],
        ),
        (
            "XLA601",
            "with torch_xla.step():\n    record(batch)\n    torch.save(model.state_dict(), 'model.pt')",
            [Rename, MoveBelow],
        ),
        ("XLA601", "save_file(model.state_dict(), 'model.safetensors')", [ByHand]),
        (
            "XLA102",
            "print(record(batch))\nxm.optimizer_step(optimizer, barrier=True)",
            [MoveBelow, SyncBefore],
        ),
    ],
)
def test_other_causes_are_offered_other_cures(
    code: str, body: str, wanted: list[type[Cure]], tmp_path: Path
) -> None:
    text = TRAINING + indent(body, "    ") + "\n"
    (first, *_) = [placed.finding.cures for placed in found_in_text(text, code, tmp_path)]
    offered = [each for cure in first for each in (cure, *cure.also)]
    assert [type(each) for each in offered] == wanted
    assert all(is_sensible(each) for each in offered if not isinstance(each, Rename))


def test_a_read_in_a_loop_stays_there_when_the_cut_comes_after_it(tmp_path: Path) -> None:
    text = TRAINING + "    print(record(batch))\ntorch_xla.sync()\n"
    cures = cures_of(found_in_text(text, "XLA102", tmp_path))
    assert cures and {type(cure) for cure in cures} == {SyncBefore}
