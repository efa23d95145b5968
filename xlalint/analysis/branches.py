"""Tests and branches, and how a test splits the replicas."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple, TypeVar

from xlalint.analysis.binding import bind_name
from xlalint.analysis.conditions import arms, enter_arm, facts, leave_arm, leave_unsettled, merge, narrow
from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Execute, Machine
from xlalint.analysis.micro_batches import note_uncut, note_uncut_within
from xlalint.analysis.operators import evaluate_test, is_unset, number_of_each, present_where, truth
from xlalint.analysis.payloads import (
    Bound,
    Dynamo,
    Module,
    Optimizer,
    RankTest,
    Switch,
    constant,
    is_drawn,
    targets,
)
from xlalint.analysis.store import Store, join
from xlalint.analysis.switches import before, finds_failure, option_of, rest_on_switches, switched_by
from xlalint.analysis.work import read, set_apart, vary
from xlalint.knowledge import outside
from xlalint.lazy.assumptions import Assumptions, assume
from xlalint.lazy.events import Reading
from xlalint.lazy.obligations import Obligation
from xlalint.lazy.scopes import Split
from xlalint.lazy.values import (
    UNKNOWN,
    Kind,
    Value,
)
from xlalint.program.branching import as_branches
from xlalint.program.outline import FunctionNode, dotted, named, within
from xlalint.remembering import remembered
from xlalint.spelling import spelling

_Key = TypeVar("_Key")


class Condition(NamedTuple):
    """What is known of a test: its truth, how it parts the replicas, and whether chance decides."""

    truth: bool | None = None
    when_true: Split | None = None
    when_false: Split | None = None
    by_chance: bool = False


def condition(machine: Machine, node: ast.expr, keyword: str, frame: Frame, store: Store) -> Condition:
    """Evaluate the test of an `if`, `while` or `assert`; a device value is read by it."""
    value = evaluate_test(machine, node, frame, store)
    site = frame.site(node)
    if isinstance(test := value.payload, RankTest):
        return Condition(None, *test.splits(site))
    if value.kind is Kind.ORDINAL:
        # `if rank:` keeps the master out.
        return Condition(
            None, Split(site, True, value.assumes, False), Split(site, False, value.assumes, True)
        )
    known = truth(value)
    if known is None and value.kind is Kind.TENSOR:
        shown = f"{keyword} {spelling(node)}".strip()
        read(value, Reading.BOOL, shown, site, frame, store)
    if known is None and value.surely_differs and value.kind in (Kind.TENSOR, Kind.HOST):
        differs = assume(f"`{spelling(node)}` does not come out the same on all replicas")
        return Condition(None, Split(site, True, differs, False), Split(site, False, differs, False))
    return Condition(known, by_chance=is_drawn(value))


def _if(machine: Machine, node: ast.If, frame: Frame, store: Store) -> Store | None:
    tested = condition(machine, node.test, "if", frame, store)
    if tested.truth is not None:
        only = _run_arm(machine, node, frame, store, holds=tested.truth)
        if only is not None:
            note_uncut_within(((only, frame.left_uncut),), only, frame)
        return only
    if tested.when_true is not None and tested.when_false is not None:
        return _split(machine, node, tested.when_true, tested.when_false, frame, store)
    if tested.by_chance:
        return _by_chance(machine, node, frame, store)
    return _either_arm(machine, node, frame, store)


def _by_chance(machine: Machine, node: ast.If, frame: Frame, store: Store) -> Store | None:
    """Chance decides which arm is run, and with it what is recorded, be it before the function returns."""
    since = set_apart(store)
    returned_before = len(frame.exits.returns)
    joined = _either_arm(machine, node, frame, store)
    left = [returned.state for returned, _, _ in frame.exits.returns[returned_before:]]
    within = tuple(dict.fromkeys(site for state in left for site in state.engine.since))
    states = left if joined is None else [*left, joined.state]
    vary(states, since, node.test, frame.site(node), frame, within=within)
    return joined


def _either_arm(machine: Machine, node: ast.If, frame: Frame, store: Store) -> Store | None:
    other = store.copy()
    owed = store.state.obligations
    for arm, holds in ((store, True), (other, False)):
        enter_arm(arm, node.test, holds=holds)
        narrow(machine, node.test, frame, arm, holds=holds)
    began = before(frame, store)
    yes = _run_arm(machine, node, frame, store, holds=True)
    yes_uncut = frame.left_uncut
    rest_on_switches(machine, [node.test], began, frame, yes or store, holds=True)
    began = before(frame, other)
    no = _run_arm(machine, node, frame, other, holds=False)
    no_uncut = frame.left_uncut
    rest_on_switches(machine, [node.test], began, frame, no or other, holds=False)
    leave_arm(yes, node.test, True, owed)
    leave_arm(no, node.test, False, owed)
    if yes is not None and no is not None:
        leave_unsettled(no, node.test, False, owed - yes.state.obligations)
        leave_unsettled(yes, node.test, True, owed - no.state.obligations)
    joined = _agreed(owed, yes, no, join(yes, no))
    if yes is not None and no is not None and joined is not None:
        if note_uncut(machine, node, yes, no, frame):
            return no
        merge(joined, yes, no, arms(node.test))
        option = partial(option_of, machine, node.test, frame, no, holds=True)
        switches = partial(switched_by, machine, node.test, frame, no, holds=True)
        _note_switched(joined.names, yes.names, no.names, option, switches)
        _note_switched(joined.attributes, yes.attributes, no.attributes, option, switches)
        _note_raised_by_default(machine, node.test, frame, joined, yes, no)
    if joined is not None:
        note_uncut_within(((yes, yes_uncut), (no, no_uncut)), joined, frame)
    return joined


def _note_raised_by_default(
    machine: Machine, test: ast.expr, frame: Frame, joined: Store, yes: Store, no: Store
) -> None:
    """What surely raises in the arm that is taken by default comes before what follows.

    So does what raises in each n-th round of a loop, the first one among them.
    """
    here, there = yes.state.trust.raised, no.state.trust.raised
    if (here is None) is (there is None):
        return  # as mostly
    if here is not None and joined.state.scopes.in_loop and _is_of_each_nth_round(test):
        joined.state.trust = joined.state.trust._replace(raised=here)
    elif _by_default(machine, test, frame, no if there is None else yes) is (here is not None):
        joined.state.trust = joined.state.trust._replace(raised=here or there)


def _is_of_each_nth_round(test: ast.expr) -> bool:
    """Whether a test is `step % n == 0`, or `not step % n`."""
    match test:
        case (
            ast.Compare(
                left=ast.BinOp(left=ast.Name(), op=ast.Mod()),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value=0)],
            )
            | ast.UnaryOp(op=ast.Not(), operand=ast.BinOp(left=ast.Name(), op=ast.Mod()))
        ):
            return True
    return False


def _by_default(machine: Machine, test: ast.expr, frame: Frame, store: Store) -> bool | None:
    """How a test comes out where nobody gives the numbers that a function takes as parameters; None where
    that is not known, or hangs on none of them."""
    if frame.function is None:
        return None
    asked = named(test)
    left = store.copy()
    numbers = 0
    for name, default in frame.function.parameters.defaults.items():
        match default:
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int() | float() as number) if name in asked:
                is_open = _is_open(store.names.get(name, UNKNOWN), name, frame.function.node)
                if not is_open or outside.tells_of_hardware(name) or "gpu" in name.lower():
                    return None
                left.names[name] = constant(number)
                numbers += 1
    alone = Frame(frame.outline, frame.function, frame.depth)
    alone.captured = frame.captured
    return truth(evaluate_test(machine, test, alone, left)) if numbers else None


def _is_open(given: Value, parameter: str, function: FunctionNode) -> bool:
    """Whether a parameter may be any number, and is what the function is given for it."""
    return (
        given.kind in (Kind.UNKNOWN, Kind.HOST)
        and given.payload is None
        and parameter not in named(function, ast.Store) | named(function, ast.Del)
    )


def _run_arm(machine: Machine, node: ast.If, frame: Frame, store: Store, *, holds: bool) -> Store | None:
    around = frame.once
    frame.once = around or _sets_what_it_misses(machine, node, frame, store, holds=holds)
    after = machine.run_block(node.body if holds else node.orelse, frame, store)
    frame.once = around
    return after


def _sets_what_it_misses(machine: Machine, node: ast.If, frame: Frame, store: Store, *, holds: bool) -> bool:
    """Whether an arm is for the first round alone: it is taken where something is not set yet, and sets it.

    It does so itself, or by a method of the same object.
    """
    missed = {_plain(fact.subject) for fact in facts(node.test, holds) if fact.is_unset}
    return bool(missed) and any(
        _plain(name) in missed
        for part in _setting(node, holds)
        for name in _set_by(machine, part, missed, frame, store)
    )


@remembered(8192)  # the same in each context of a function
def _setting(node: ast.If, holds: bool) -> tuple[ast.AST, ...]:
    """What stands in an arm that may set something."""
    arm = node.body if holds else node.orelse
    return tuple(
        part for statement in arm for part in within(statement) if isinstance(part, ast.Assign | ast.Call)
    )


def _set_by(machine: Machine, part: ast.AST, missed: set[str], frame: Frame, store: Store) -> Iterator[str]:
    """What a part sets, as far as some of what is missed may be among it."""
    match part:
        case ast.Assign(targets=assigned):
            yield from map(dotted, assigned)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=receiver)) as called):
            if any(name.startswith(f"{receiver}.") for name in missed):
                for target in targets(machine.evaluate(called, frame, store.copy())):
                    if isinstance(target, Bound):
                        yield from (f"{receiver}.{name}" for name in _attributes_set_by(target.function.node))


def _plain(name: str) -> str:
    """The name of what is set as its property is called: `self.index` for `self._index`."""
    owner, dot, last = name.rpartition(".")
    return f"{owner}{dot}{last.lstrip('_')}"


@remembered(1024)
def _attributes_set_by(function: FunctionNode) -> frozenset[str]:
    return frozenset(
        node.attr
        for node in within(function)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    )


def _split(
    machine: Machine, node: ast.If, when_true: Split, when_false: Split, frame: Frame, store: Store
) -> Store | None:
    """A test that parts the replicas: both arms run at the same time, on different replicas."""
    around = store.state
    other = store.copy()
    store.state = frame.model.part(around, when_true)
    other.state = frame.model.part(around, when_false)
    enter_arm(store, node.test, holds=True)
    enter_arm(other, node.test, holds=False)
    began = before(frame, store)
    yes = machine.run_block(node.body, frame, store)
    yes_uncut = frame.left_uncut
    if finds_failure(node.test, holds=True):
        rest_on_switches(machine, [node.test], began, frame, yes or store, holds=True)
    began = before(frame, other)
    no = machine.run_block(node.orelse, frame, other)
    no_uncut = frame.left_uncut
    if finds_failure(node.test, holds=False):
        rest_on_switches(machine, [node.test], began, frame, no or other, holds=False)
    joined = join(yes, no)
    if yes is not None and no is not None and joined is not None:
        test = RankTest(when_true.master, when_true.assumes, when_false.assumes)
        _note_presence(joined.names, yes.names, no.names, test)
        _note_presence(joined.attributes, yes.attributes, no.attributes, test)
        _note_stale(joined.names, yes.names, no.names)
        _note_stale(joined.attributes, yes.attributes, no.attributes)
        _note_decided(joined.names, yes.names, no.names, when_true, is_attribute=False)
        _note_decided(joined.attributes, yes.attributes, no.attributes, when_true, is_attribute=True)
        _agreed(around.obligations, yes, no, joined)
        joined.state = frame.model.meet(around, [(when_true, yes.state), (when_false, no.state)])
    if joined is not None:
        note_uncut_within(((yes, yes_uncut), (no, no_uncut)), joined, frame)
    return joined


def _note_presence(
    joined: dict[_Key, Value], yes: dict[_Key, Value], no: dict[_Key, Value], test: RankTest
) -> None:
    """What only some replicas set, and is None for the others, tells them apart later on."""
    for key, one in yes.items():
        other = no.get(key)
        held = present_where(one, other, test) if other is not None and one is not other else None
        if held is not None:
            joined[key] = held


def _note_switched(
    joined: dict[_Key, Value], yes: dict[_Key, Value], no: dict[_Key, Value],
    option: Callable[[], Assumptions], switches: Callable[[], Assumptions],
) -> None:  # fmt: skip
    """What is only set where somebody asks for an option, and is None by default, tells so later on.

    So does a module that is only compiled then, or where a setting says so.
    """
    for key, one in yes.items():
        other = no.get(key)
        if other is None or one is other:
            continue
        match one.payload, other.payload, joined[key].payload:
            case Module(by=Dynamo()), Module(by=None), Module(by=Dynamo() as by) as held:
                if rests := switches():
                    compiled = held._replace(by=by._replace(assumes=rests))
                    joined[key] = joined[key]._replace(payload=compiled)
        if is_unset(one) or not is_unset(other):
            continue
        rests = option()
        if len(rests) == 1 and joined[key].present is None:
            joined[key] = joined[key]._replace(present=Switch(*rests))


def _note_stale(joined: dict[_Key, Value], yes: dict[_Key, Value], no: dict[_Key, Value]) -> None:
    """An optimizer whose model only some replicas move updates that of the others alone."""
    for key, one in yes.items():
        match one, no.get(key):
            case Value(payload=Optimizer(stale=here)), Value(payload=Optimizer(stale=there)) as other:
                if bool(here) is not bool(there):
                    joined[key] = one if here else other


def _note_decided(
    joined: dict[_Key, Value], yes: dict[_Key, Value], no: dict[_Key, Value], split: Split, *,
    is_attribute: bool,
) -> None:  # fmt: skip
    """A number that is another one in each arm is another one on each replica.

    Where the test tells the master from the others, what is there on one side alone tells more. Elsewhere an
    attribute that only one arm gives is something else in the other: what a class says anyway is not kept.
    """
    by_rank = split.is_rank_test
    for key in {*yes, *no}:
        one, other = yes.get(key), no.get(key)
        if None in (one, other) and (by_rank or not is_attribute):
            continue
        held = joined[key]
        if (number := number_of_each(one, other, held)) is not None and not (by_rank and held.present):
            joined[key] = number


def _match(machine: Machine, node: ast.Match, frame: Frame, store: Store) -> Store | None:
    subject = machine.evaluate(node.subject, frame, store)
    branches = as_branches(node)
    if branches is not None and _parts_replicas(machine, node, branches, subject, frame, store):
        for case in node.cases:
            for name in _pattern_names(case.pattern):
                bind_name(name, subject, frame, store)
        return machine.run_block([branches], frame, store)
    result: Store | None = None
    for case in node.cases:
        arm = store.copy()
        whole = _whole(case.pattern)
        for name in _pattern_names(case.pattern):
            bind_name(name, subject if name == whole else UNKNOWN, frame, arm)
        if case.guard is not None:
            condition(machine, case.guard, "if", frame, arm)
            # The next case is tried after this one's guard has been asked, or not.
            store = join(store, arm.copy()) or store
        result = join(result, machine.run_block(case.body, frame, arm))
        if case.guard is None and _always_matches(case.pattern):
            return result
    return join(result, store)


def _parts_replicas(
    machine: Machine, node: ast.Match, branches: ast.If, subject: Value, frame: Frame, store: Store
) -> bool:
    """Whether a `match` asks which replica this is."""
    if subject.kind in (Kind.ORDINAL, Kind.RANK_TEST):
        return True
    guards = (case.guard for case in node.cases if case.guard is not None)
    return any(is_rank_test(machine, guard, frame, store) for guard in guards)


def is_rank_test(machine: Machine, test: ast.expr, frame: Frame, store: Store) -> bool:
    """Whether a test tells one replica from the others."""
    return evaluate_test(machine, test, frame, store.copy()).kind in (Kind.ORDINAL, Kind.RANK_TEST)


def _agreed(
    owed: frozenset[Obligation], yes: Store | None, no: Store | None, joined: Store | None
) -> Store | None:
    """Drop what was owed before a branch and one arm has settled: it may be settled, so silence."""
    if yes is not None and no is not None and joined is not None:
        settled = (owed - yes.state.obligations) | (owed - no.state.obligations)
        for arm in (yes, no, joined):
            arm.state.obligations -= {o for o in settled if o.terms.settled_by_one_arm}
    return joined


def _always_matches(pattern: ast.pattern) -> bool:
    """Whether a pattern takes whatever there is: `_`, a name, or alternatives that end in one."""
    if isinstance(pattern, ast.MatchOr):
        return _always_matches(pattern.patterns[-1])
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _always_matches(pattern.pattern))


def _whole(pattern: ast.pattern) -> str | None:
    """The name that a pattern gives to all of what it matches."""
    return pattern.name if isinstance(pattern, ast.MatchAs) else None


def _pattern_names(pattern: ast.pattern) -> list[str]:
    names = []
    for node in within(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            names.append(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.append(node.rest)
    return names


EXECUTORS: Final[dict[type, Execute]] = {ast.If: _if, ast.Match: _match}
