"""Loops: to their fixpoint, and every way of leaving them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from xlalint.analysis.binding import bind, element, holds_part, holds_some, round_of, told_by_kind
from xlalint.analysis.branches import condition, is_rank_test
from xlalint.analysis.conditions import ask_anew, drop_excluded
from xlalint.analysis.frame import Exits, Frame, Settled
from xlalint.analysis.holding import may_hold_work
from xlalint.analysis.library.iteration import gone_over
from xlalint.analysis.library.loaders import ragged_of, whole_of
from xlalint.analysis.library.padding import padded_of
from xlalint.analysis.library.reads import MOST_COUNTED
from xlalint.analysis.machine import Execute, Machine
from xlalint.analysis.micro_batches import end_rounds
from xlalint.analysis.payloads import (
    COUNTER,
    Constant,
    Container,
    Counter,
    Instance,
    Iterated,
    Loader,
    Namespace,
    classes_of,
    container,
    container_of,
    counts,
    elements,
    grown,
    listed,
    literal,
    run,
    settled_chance,
)
from xlalint.analysis.rounds import held_by_rounds, rounds_go_on, rounds_refine
from xlalint.analysis.store import Store, join
from xlalint.knowledge import functions
from xlalint.lazy.assumptions import NONE as NONE_ASSUMED
from xlalint.lazy.assumptions import Assumptions, assume, both
from xlalint.lazy.cuts import Cause
from xlalint.lazy.model import FEW_UPDATES
from xlalint.lazy.obligations import Fact, Owed
from xlalint.lazy.scopes import Between, Scopes, Split
from xlalint.lazy.site import Site
from xlalint.lazy.state import NOTHING_DONE, Activity, Loop, State, join_loops, places
from xlalint.lazy.transitions import exchange
from xlalint.lazy.values import (
    NOTHING,
    UNKNOWN,
    Form,
    Kind,
    Ragged,
    Value,
    Weight,
    kinds_that,
)
from xlalint.program.branching import kept_tests
from xlalint.program.counting import RANGES, dealt_out, is_evened_out
from xlalint.program.exhausting import drawn_to_the_end
from xlalint.program.inner import statements_run
from xlalint.program.outline import Class, Function, dotted, last_name, named, within
from xlalint.remembering import remembered
from xlalint.spelling import spelling

MOST_RUNS: Final = 16
"""A loop is run to its fixpoint at most this often in one activation, whatever is around it."""
MOST_TOLD_APART: Final = 8
"""The rounds of a loop over objects of several classes are told apart, if there are no more than these."""
MOST_PASSES: Final = 4
"""A loop body is interpreted at most this often; then what it assigns becomes unknown."""


def _for(machine: Machine, node: ast.For | ast.AsyncFor, frame: Frame, store: Store) -> Store | None:
    trained = store.state.loop.all.trained
    generator = _without_calls(node.iter, functions.GOES_OVER)
    if isinstance(generator, ast.Call) and _cuts_nothing(node):
        frame.at_once, frame.between = generator, _between(node)
    over = machine.evaluate(node.iter, frame, store)
    if isinstance(over.payload, Loader) and store.state.loop.all.trained != trained and _cuts_nothing(node):
        # It is the loop in the generator that trains: of what is left uncut there, it is told.
        over = over if over.payload.cuts else container_of(run(over.payload.element))
    over = gone_over(machine, over, frame.site(node.iter), frame, store)
    held = over.payload
    loader = held if isinstance(held, Loader) else Loader(listed(round_of(over, frame, store)))
    over = over.payload.over if isinstance(over.payload, Iterated) else over
    guessed, bounded = False, store.state.trust.bounded
    if over.kind is Kind.UNKNOWN and (who := _awaits_loader(machine, node, frame, store)):
        guess = assume(f"`{spelling(node.iter)}` is an `MpDeviceLoader`")
        if who == functions.XM:  # under a framework only the loader is not known: that all trains on XLA is
            guessed, store.state.trust = True, store.state.trust._replace(bounded=both(bounded, guess))
        loader = Loader(_of_batches(loader.element, guess), True, True)
        over = Value(Kind.LOADER, guess, payload=loader)
    elif over.kind is Kind.LOADER and over.assumes:
        loader = loader._replace(element=_assuming(loader.element, over.assumes))
    elif (rounds := _told_apart(node, over, frame)) is not None:
        return _one_by_one(machine, node, rounds, frame, store)
    is_of_few = store.state.engine.clock is not None and _is_of_few(machine, node.iter, over, frame, store)
    is_literal = holds_some(over) or _counts(machine, node.iter, frame, store)
    comes_again = _comes_again(machine, node.iter, frame, store)
    advance = partial(
        _advance, machine, loader, over.assumes, node, frame,
        may_be_loader=over.kind in _MAY_BE_LOADER, comes_again=comes_again, is_of_few=is_of_few,
    )  # fmt: skip
    exhaust = partial(_exhaust, loader, over.assumes, node, frame)
    around = frame.over, frame.may_be_in_batches, frame.goes_along
    frame.over, frame.may_be_in_batches = over, around[1] or over.kind in _MAY_BE_LOADER
    frame.goes_along = None if over.kind is Kind.LOADER else node
    after = _loop(machine, node, over, advance, exhaust, frame, store, runs_at_least_once=is_literal)
    frame.over, frame.may_be_in_batches, frame.goes_along = around
    if after is not None and guessed:
        after.state.trust = after.state.trust._replace(bounded=bounded)
    return after


def _without_calls(over: ast.expr, of: frozenset[str]) -> ast.expr:
    """What a loop goes over, without the calls of some functions that hand it on."""
    while isinstance(over, ast.Call) and over.args and last_name(over.func) in of:
        over = over.args[0]
    return over


@remembered(4096)  # asked whenever a loop is entered
def _cuts_nothing(node: ast.For | ast.AsyncFor) -> bool:
    """Whether the body of a loop surely cuts nothing: all that it calls shows or keeps something."""
    return isinstance(node, ast.For) and not any(map(_may_cut, node.body))


def _between(node: ast.For | ast.AsyncFor) -> Between:
    """What a loop that cuts nothing does with what it goes over."""
    each = named(node.target, ast.Store)
    for part in (part for statement in node.body for part in within(statement)):
        shown = isinstance(part, ast.Call) and last_name(part.func) in functions.READS_ITEM
        if (shown or isinstance(part, ast.FormattedValue)) and not each.isdisjoint(named(part)):
            return Between.READS
    return Between.KEEPS


def _may_cut(statement: ast.stmt) -> bool:
    """Whether a statement may cut the graph: that calls, enters or goes over something that may."""
    return any(
        (isinstance(part, ast.Call) and last_name(part.func) not in functions.CUTS_NOTHING)
        or isinstance(part, _MAY_CUT)
        for part in within(statement)
    )


_MAY_CUT: Final = (
    ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.comprehension, ast.Await, ast.Yield, ast.YieldFrom,
)  # fmt: skip


def _told_apart(node: ast.For | ast.AsyncFor, over: Value, frame: Frame) -> tuple[Value, ...] | None:
    """What each round of a loop gets that is no loop of steps: it goes over one thing that stands there as a
    list, over several functions or objects of several classes, such as callbacks of which each does something
    else, over a model and its optimizer, over tensors and numbers, or over names that are looked up."""
    match node.iter:
        case ast.List(elts=[one]) | ast.Tuple(elts=[one]):
            if isinstance(over.payload, Container) and not isinstance(one, ast.Starred):
                return (element(over),)
    held = over.payload
    if not isinstance(held, Container) or held.items is None or len(held.items) > MOST_TOLD_APART:
        return None
    if held.keys is not None:
        return told_by_kind(held) or None
    if all(item.kind is Kind.CALLABLE for item in held.items):
        return held.items if len(set(held.items)) > 1 else None
    if all(map(_is_object, held.items)):
        return held.items if len({classes_of(item) for item in held.items}) > 1 else None
    if all(isinstance(literal(item), str) for item in held.items) and _looks_up(node, frame.function):
        return held.items
    if any(map(holds_part, held.items)):
        return held.items if len(set(held.items)) > 1 else None
    return told_by_kind(held) or None


@remembered(1024)
def _looks_up(node: ast.For | ast.AsyncFor, function: Function | None) -> bool:
    """Whether a loop of `function` looks attributes up by name."""
    return any(
        isinstance(each, ast.Name) and each.id == "getattr"
        for statement in statements_run(node.body, function)
        for each in within(statement)
    )


def _is_object(value: Value) -> bool:
    """Whether a value is an object of one class of the project that is no layer of a model."""
    return isinstance(held := value.payload, Instance) and not any(isinstance(cls, str) for cls in held.of)


def _one_by_one(
    machine: Machine, node: ast.For | ast.AsyncFor, rounds: tuple[Value, ...], frame: Frame, store: Store
) -> Store | None:
    """Run the rounds of a loop, each by itself."""
    around, broken = frame.exits, list[Store]()
    after: Store | None = store
    for each in rounds:
        if after is None:
            break
        frame.exits = left = Exits()
        bind(machine, node.target, each, frame, after)
        after = machine.run_block(node.body, frame, after)
        for continued in left.continues:
            after = join(after, continued)
        broken += [store for store, _ in left.breaks]
        around.returns += left.returns
        around.raises += left.raises
    frame.exits = around
    if node.orelse and after is not None:
        after = machine.run_block(node.orelse, frame, after)
    for each_broken in broken:
        after = join(after, each_broken)
    return after


def _awaits_loader(machine: Machine, node: ast.For | ast.AsyncFor, frame: Frame, store: Store) -> str:
    """Who says that a loop over something unknown can only mean an XLA loader; empty where nobody does.

    That is torch_xla where the loop steps an optimizer without a barrier or adds closures, and a framework
    where that computes its gradients; nothing in it cuts.
    """
    if not frame.outline.mentions(_NEEDS_A_CUT):
        return ""
    found = ""
    for inner in within(node):
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute):
            continue
        called = inner.func.attr
        if any(k.arg == "barrier" for k in inner.keywords):
            return ""
        if called not in _CUTS and called not in _NEEDS_A_CUT:
            continue
        owner = machine.evaluate(inner.func.value, frame, store) if dotted(inner.func.value) else UNKNOWN
        module = owner.payload.name if isinstance(owner.payload, Namespace) else ""
        if called in _CUTS and (module or called != _ALSO_OF_OPTIMIZERS):
            return ""
        if called == _OF_FRAMEWORKS:
            of = (cls.outline for cls in classes_of(owner) if isinstance(cls, Class))
            found = found or next((outline.name for outline in of if outline.is_framework), "")
        elif called in _NEEDS_A_CUT and module == functions.XM:
            found = module
    return found


def _of_batches(each: Value, guess: Assumptions) -> Value:
    """What a loader yields that turns out to be one of XLA's: tensors, where nothing was known."""
    if isinstance(each.payload, Container) and each.payload.items:
        return container([_of_batches(item, guess) for item in each.payload.items])
    return Value(Kind.TENSOR, guess, differs=True) if each.kind is Kind.UNKNOWN else each


def _assuming(each: Value, assumes: Assumptions) -> Value:
    """What a loader yields that is only assumed to be one of XLA's: only then are its tensors there."""
    if isinstance(held := each.payload, Container):
        return each._replace(payload=held.map(lambda item: _assuming(item, assumes)))
    return each._replace(assumes=both(each.assumes, assumes)) if each.kind is Kind.TENSOR else each


def _advance(
    machine: Machine,
    loader: Loader,
    assumes: Assumptions,
    node: ast.For | ast.AsyncFor,
    frame: Frame,
    store: Store,
    *,
    may_be_loader: bool,
    comes_again: bool,
    is_of_few: bool,
) -> None:
    """The next round of a loop begins.

    What it goes over `comes_again` in each round of a loop around; `is_of_few`: so few rounds are there that
    the device is behind for most of them.
    """
    may_cut = loader.cuts is None or may_be_loader
    frame.model.begin_round(store.state, may_cut=may_cut, is_of_few=is_of_few)
    if loader.cuts is not False and frame.model.takes_batch(store.state):
        _cut_by_loader(loader, assumes, node, frame, store)
    each = loader.element
    if store.state.loop.cuts:
        # All rows of a tensor were taken in the first round.
        each = _counted(node.iter, run(each), comes_again=comes_again)
    bind(machine, node.target, each, frame, store)


def _comes_again(machine: Machine, over: ast.expr, frame: Frame, store: Store) -> bool:
    """Whether a loop counts few numbers, and the same ones each time that it begins, which it does again."""
    scopes, function = store.state.scopes, frame.function
    if scopes.in_loop and _goes_in_strides(over):
        return True
    match over:
        case ast.Call(func=called, args=[end] | [ast.Constant(), end]) if last_name(called) == "range":
            around = function.node if function is not None else frame.outline.tree
            if is_size(end, around):
                return scopes.in_loop or (function is not None and _takes_batch(around, over))
            if scopes.in_loop and isinstance(end, _LOOKED_UP):
                number = literal(machine.evaluate(end, frame, store.copy()))
                return isinstance(number, int) and (scopes.in_batches or number <= _FEW)
    return False


@remembered(1024)
def _takes_batch(function: ast.AST, before: ast.expr) -> bool:
    """Whether a function takes a batch of an iterator, so that it is called again for the next one."""
    return any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Name)
        and each.func.id == "next"
        and each.lineno < before.lineno
        for each in within(function)
    )


@remembered(1024)
def is_size(number: ast.expr, around: ast.AST) -> bool:
    """Whether a number is a size of a tensor, or a name that `around` gives to nothing else."""
    match number:
        case ast.Name(id=name):
            given = sum(
                1 for each in within(around)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.id == name
            )  # fmt: skip
            return 0 < given == sum(1 for each in within(around) if _takes_size(each, name))
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=slice):
            return not isinstance(slice, ast.Slice)
        case ast.Call(func=ast.Attribute(attr="size"), args=[_]):
            return True
    return False


def _takes_size(statement: ast.AST, name: str) -> bool:
    """Whether an assignment gives a size of a tensor to a name."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=value):
            return target == name and not isinstance(value, ast.Name) and is_size(value, statement)
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
            if not any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return False
            match value:
                case ast.Attribute(attr="shape") | ast.Call(func=ast.Attribute(attr="size"), args=[]):
                    return True
                case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Slice()):
                    return True
    return False


def _goes_in_strides(over: ast.expr) -> bool:
    """Whether a loop takes batches out of what is there by their places: `range(0, len(samples), 32)`.

    They are few, and the same in each epoch: each is compiled once, and not in each step.
    """
    match over:
        case ast.Call(func=function, args=[inner, *_]) if last_name(function) in _SAME_ELEMENTS:
            return _goes_in_strides(inner)
        case ast.Call(func=function, args=[_, _, stride]) if last_name(function) in _COUNTING:
            return not isinstance(stride, ast.UnaryOp)
    return False


def _counted(over: ast.expr, each: Value, *, comes_again: bool = False) -> Value:
    """What a loop that cuts the graph gets of what it goes over, as that is written, also backwards."""
    if not isinstance(over, ast.Call):
        return each
    name = last_name(over.func)
    if name in _COUNTING:
        counted = _counting(each)
        again = comes_again and isinstance(counted.payload, Counter)
        return counted._replace(payload=Counter(comes_again=True)) if again else counted
    if name in _SAME_ELEMENTS and over.args:
        return _counted(over.args[0], each, comes_again=comes_again)
    if name == "zip" and len(items := elements(each)) == len(over.args):
        return container(list(map(_counted, over.args, items)))
    return each


def _counting(each: Value) -> Value:
    """What a loop that cuts the graph gets from `range` or `enumerate`: another number in each step."""
    held = each.payload
    if isinstance(held, Container) and held.items:
        return container([_counting(held.items[0]), *held.items[1:]])
    return COUNTER if each.kind is Kind.HOST and held is None else each


_MAY_BE_LOADER: Final = kinds_that("may_be_loader")
_SAME_ELEMENTS: Final = functions.BARS | {"list", "reversed"}
_COUNTING: Final = frozenset({"range", "trange", "enumerate", "count"})


def _exhaust(
    loader: Loader, assumes: Assumptions, node: ast.For | ast.AsyncFor, frame: Frame, store: Store
) -> None:
    """There is no next round."""
    if loader.cuts_at_end and loader.cuts is not False:
        _cut_by_loader(loader, assumes, node, frame, store)


def _cut_by_loader(
    loader: Loader, assumes: Assumptions, node: ast.For | ast.AsyncFor, frame: Frame, store: Store
) -> None:
    drop_excluded(store, assumes)
    frame.model.cut(
        store.state,
        Cause.LOADER,
        spelling(node.iter),
        frame.site(node.iter),
        sure=loader.cuts is True,
        assumes=assumes,
        ends_loop=loader.cuts_at_end,
    )
    store.run_all() if loader.cuts else store.maybe_run_all()


def _while(machine: Machine, node: ast.While, frame: Frame, store: Store) -> Store | None:
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    parted = {split.site for split in store.state.replicas.splits}
    for around in kept_tests(node):
        if frame.site(around.test) not in parted and is_rank_test(machine, around.test, frame, store):
            return machine.run_block([around], frame, store)
    test = partial(condition, machine, node.test, "while", frame)
    advance = partial(_go_on, machine, node, frame)
    return _loop(machine, node, None, advance, test, frame, store, endless=endless)


def _go_on(machine: Machine, node: ast.While, frame: Frame, store: Store) -> None:
    """The next round of a `while` begins."""
    frame.model.begin_round(store.state)
    condition(machine, node.test, "while", frame, store)


def _settle_chance(machine: Machine, store: Store) -> None:
    """Numbers that were drawn before a loop are the same ones in each of its rounds."""
    for name, value in store.names.items():
        if (settled := settled_chance(value)) is not value:
            store.names[name] = settled
    for key, value in store.attributes.items():
        if (settled := settled_chance(value)) is not value:
            machine.touch(key)
            store.attributes[key] = settled


def _loop(
    machine: Machine,
    node: ast.For | ast.AsyncFor | ast.While,
    over: Value | None,
    advance: Callable[[Store], object],
    exhaust: Callable[[Store], object],
    frame: Frame,
    store: Store,
    *,
    endless: bool = False,
    runs_at_least_once: bool = False,
) -> Store | None:
    """Run a loop to its fixpoint; every pass stands for real iterations."""
    outer_exits = frame.exits
    state = store.state
    outside, around, outer_since = state.loop, state.scopes, state.engine.since
    owed, pends = state.obligations, state.engine.recorded.must is Weight.HEAVY
    over_batches = over is not None and over.kind is Kind.LOADER
    tests = len(state.replicas.splits)
    state.loop = NOTHING_DONE._replace(finds_callers=_is_callers(outer_since, outside))
    # However seldom somebody evaluates, each of the batches is as dear as one of training.
    seldom = frozenset(fact for fact in state.facts if over_batches and fact.is_of_few_rounds)
    state.facts -= seldom
    # Each round comes as often as it does, however seldom the function is called.
    state.scopes = around._replace(in_loop=True, in_batches=around.in_batches or over_batches, seldom=False)
    state.engine = state.engine._replace(since=())
    if over_batches or not around.in_loop:
        _settle_chance(machine, store)
    held_once = _given_once(over)
    header = frame.site(node if isinstance(node, ast.While) else node.iter)
    if over is not None and held_once:
        frame.model.go_over_again(state, held_once, over.assumes, header)
    rounds = _Rounds(machine, node, advance, frame, store)
    head, back, exits = _settle_once(rounds, over) if around.in_loop else rounds.settle(twice=True)
    frame.exits = outer_exits
    if endless and back is not None and not around.in_loop:
        frame.model.settle_steps(back.state)
    cuts = back is not None and back.state.loop.cuts
    held = held_by_rounds(machine, node, frame, back) if back is not None and not pends else None
    after: Store | None = None
    if not endless:
        after = back.copy() if runs_at_least_once and back is not None else head.copy()
        exhaust(after)
        # Who leaves a loop by a count may go on later where it was left: the stream may have no end.
        if held_once and not (exits.breaks or exits.returns):
            frame.model.run_out(after.state, held_once, header)
        end_rounds(after.state)
        if back is not None:
            after.state.loop = join_loops(after.state.loop, back.state.loop)
            frame.model.stop_clock(after.state)
        for read in frame.of_rows:
            frame.model.read_again(after.state, read, read)  # the next round does
        frame.of_rows.clear()
        if held is not None:
            frame.model.leave_rounds(after.state, owed, held)
        if back is not None and back.state.loop.all.meets:
            _part_by_rounds(machine, node, frame, head, back, after)
        _end_loop(machine, node, over, back, outside, around, outer_since, frame, after)
        _back_below_tests(after.state, seldom, outside)
        after = machine.run_block(node.orelse, frame, after) if node.orelse else after
    over_cuts = (
        over is not None and isinstance(over.payload, Loader) and over.payload.cuts is not False and over.sure
    )
    leaving = [left.state for left, _ in (*exits.breaks, *exits.raises)]
    leaving += [left.state for left, _, _ in exits.returns]
    parting = [each.replicas.splits[tests] for each in leaving if len(each.replicas.splits) > tests]
    for broken, site in exits.breaks:
        if cuts or over_cuts:
            frame.model.leave_loop(broken.state, "break", site)
        _abandon(machine, node, over, frame, broken, site)
        if back is not None:
            _leave_alone(broken.state, back.state, tests, parting, site, frame)
        if held is not None:
            frame.model.leave_rounds(broken.state, owed, held)
        _end_loop(machine, node, over, back, outside, around, outer_since, frame, broken, judged=endless)
        _back_below_tests(broken.state, seldom, outside)
        after = join(after, broken)
    if endless and exits.returns and not exits.breaks:
        # Nothing goes on below it: what is said of the loop is said where it is left.
        left = exits.returns[0][0].copy()
        _end_loop(machine, node, over, back, outside, around, outer_since, frame, left)
    for returned, value, site in exits.returns:
        if cuts or over_cuts:
            frame.model.leave_loop(returned.state, "return", site)
        _abandon(machine, node, over, frame, returned, site)
        if back is not None:
            _leave_alone(returned.state, back.state, tests, parting, site, frame)
        returned.state.scopes = _left(returned.state.scopes, around)
        outer_exits.returns.append((returned, value, site))
    for raised, site in exits.raises:
        if cuts or over_cuts:
            frame.model.leave_loop(raised.state, "raise", site)
        raised.state.scopes = _left(raised.state.scopes, around)
        outer_exits.raises.append((raised, site))
    if after is not None and cuts:
        _stop_counting(node, frame, store, after)
    return after


def _leave_alone(
    left: State, back: State, tests: int, parting: list[Split], site: Site, frame: Frame
) -> None:
    """Whoever leaves a loop by a test that parts the replicas is waited for by those who stay in it.

    Args:
        back: The state in which a round ends, for the next one.
        tests: How many such tests stand around the loop.
        parting: The first such test inside it of each way that leaves.
    """
    if len(left.replicas.splits) > tests:
        split = left.replicas.splits[tests]
        if not _all_leave(split, parting, back.replicas.splits[tests:]):
            frame.model.leave_alone(left, split, back.loop.all.meets, site)


def _part_by_rounds(
    machine: Machine, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, head: Store, back: Store,
    after: Store,
) -> None:  # fmt: skip
    """Replicas that go through a loop as often as they alone know wait in it for those that are done.

    Args:
        head: What a round begins with.
        back: What a round leaves.
        after: What comes after the last.
    """
    meets = back.state.loop.all.meets
    muted, frame.muted = frame.muted, True
    if isinstance(node, ast.While):
        split = condition(machine, node.test, "while", frame, back.copy()).when_false
    else:
        split = _parted_by_count(machine, node.iter, frame, head.copy())
    frame.muted = muted
    if split is not None:
        frame.model.leave_alone(
            after.state, split, meets, split.site, by_count=not isinstance(node, ast.While)
        )


def _parted_by_count(machine: Machine, over: ast.expr, frame: Frame, store: Store) -> Split | None:
    """How the replicas part that count to a number which is another one on each of them, or of which each
    takes every n-th of elements, as many as these may be."""
    around = frame.around
    if (dealt := dealt_out(over, around)) is not None:
        first, elements = dealt
        if any(isinstance(each, ast.Attribute) for each in within(elements)):
            machine.rest_on("whole", frame.outline.file)  # another method may have set it
            around = frame.outline.tree
        held = machine.evaluate(elements, frame, store)
        if held.kind not in (Kind.CONTAINER, Kind.UNKNOWN) or is_evened_out(elements, around):
            return None
        bounds = [first]
    elif isinstance(over, ast.Call) and last_name(over.func) in RANGES and len(over.args) <= 2:
        bounds = over.args
    else:
        return None
    values = [machine.evaluate(bound, frame, store) for bound in bounds]
    unlike = [
        each
        for each in values
        if each.kind is Kind.ORDINAL or (each.kind is Kind.HOST and each.surely_differs)
    ]
    if len(unlike) != 1:
        return None
    differs = assume(f"`{spelling(over)}` is not as long on all replicas")
    return Split(frame.site(over), False, both(differs, unlike[0].assumes), False)


def _all_leave(split: Split, parting: list[Split], staying: tuple[Split, ...]) -> bool:
    """Whether those for which the test came out otherwise leave the loop, too: nobody is left to wait.

    Where one of them comes to the loop's end, they leave by a test of their own, and only some of them.
    """
    if any(one.site == split.site and one.polarity != split.polarity for one in staying):
        return False
    return any(one.site == split.site and one.polarity != split.polarity for one in parting)


_Key = TypeVar("_Key")


def _stop_counting(
    node: ast.For | ast.AsyncFor | ast.While, frame: Frame, entry: Store, after: Store
) -> None:
    """Below a loop, what its rounds have counted up is one number, be that in each round of another loop."""
    sums = _sums(node, frame.function) | _handed_on(node)
    for name, value in after.names.items():
        held, before = value.payload, entry.names.get(name)
        if isinstance(held, Counter) and name in sums and not (before is not None and counts(before)):
            after.names[name] = Value(Kind.HOST, value.assumes, differs=value.differs)
    _end_growing(after.names)
    _end_growing(after.attributes)


def _end_growing(kept: dict[_Key, Value]) -> None:
    for key, value in kept.items():
        if isinstance(value.payload, Container):
            kept[key] = grown(value)


def _given_once(over: Value | None) -> str:
    """The call that makes what a loop goes over to its end, if that gives its batches only once."""
    held = over.payload if over is not None else None
    return held.once if isinstance(held, Loader) and held.cuts_at_end else ""


def _abandon(
    machine: Machine, node: ast.stmt, over: Value | None, frame: Frame, store: Store, site: Site
) -> None:
    """A loop is left early: the threads of what it went over wait for somebody to take their batches."""
    held = over.payload if over is not None and over.sure else None
    if isinstance(held, Loader) and held.anew:
        flags = {
            Fact(name, repr(value.payload.value), True)
            for name, value in store.names.items()
            if isinstance(value.payload, Constant) and isinstance(value.payload.value, bool)
        }
        counted = any(_counts_to(machine, test, frame, store) for test in _tests_around(node, frame, site))
        assumes = assume("more batches would come") if counted else NONE_ASSUMED
        when = store.state.facts | flags
        frame.model.abandon_loader(store.state, *held.anew, site, when=when, assumes=assumes)


def _tests_around(node: ast.stmt, frame: Frame, site: Site) -> list[ast.expr]:
    """The tests under which a statement at `site` stands within another."""
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.stmt):
            continue
        if frame.site(inner) == site:
            return [node.test] if isinstance(node, ast.If) else []
        if any(frame.site(each) == site for each in within(inner) if isinstance(each, ast.stmt)):
            tests = _tests_around(inner, frame, site)
            return [node.test, *tests] if isinstance(node, ast.If) else tests
    return []


def _counts_to(machine: Machine, test: ast.expr, frame: Frame, store: Store) -> bool:
    """Whether a test compares with a number that is not known, as that of all batches would be."""
    return any(
        isinstance(each, ast.Compare)
        and not isinstance(each.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn)
        and all(
            not isinstance(side, _LOOKED_UP)
            or not isinstance(machine.evaluate(side, frame, store.copy()).payload, Constant)
            for side in (each.left, *each.comparators)
        )
        for each in within(test)
    )


def _done(state: State) -> tuple[object, ...]:
    """What a round has done, to be held against what there was when it began."""
    return state.engine, state.loop, state.obligations


def _left(scopes: Scopes, around: Scopes) -> Scopes:
    """The scopes when a loop has ended, of which those are `around` that it began in."""
    return scopes._replace(in_loop=around.in_loop, in_batches=around.in_batches, seldom=around.seldom)


def _is_callers(since: tuple[Site, ...], outside: Loop) -> bool:
    """Whether some of what is recorded where a loop begins was recorded by whoever called the function."""
    return outside.finds_callers or any(site.is_entry for site in since)


@dataclass(slots=True)
class _Rounds:
    """The rounds of a loop, from what it is entered with."""

    machine: Machine
    node: ast.For | ast.AsyncFor | ast.While
    advance: Callable[[Store], object]
    frame: Frame
    store: Store

    def once(self, start: Store) -> tuple[Store | None, Exits]:
        """What one round leaves."""
        self.machine.statistics["passes"] += 1
        self.frame.exits = left = Exits()
        current = start.copy()
        ask_anew(current, self.store)
        self.advance(current)
        began = _done(current.state)
        tests = len(current.state.replicas.splits)
        after = self.machine.run_block(self.node.body, self.frame, current)
        if left.continues and after is not None:
            self.frame.model.end_round([each.state for each in (after, *left.continues)], tests)
        for continued in left.continues:
            # A round that goes on before it does anything, as for an empty batch, is as if there were fewer.
            if after is None or _done(continued.state) != began:
                after = join(after, continued)
        if after is not None and after.state.loop.cuts:
            _go_on_counting(self.node, start, after)
        return after, left

    def settle(self, *, twice: bool) -> Settled:
        """What holds in every round, and after the last.

        Args:
            twice: Whether the second round, too, is looked at by itself: it meets what the first leaves.
                So it is in any loop of several replicas of which each round leaves a whole step pending.
        """
        head = self.store
        back, exits = self.once(head)
        if back is not None and (twice or _leaves_steps(back.state)):
            again, _ = self.once(back)
            head = self._either_round(head, back) or head
            back = join(back, again)
        for number in range(MOST_PASSES):
            grown = self._either_round(head, back)
            if back is None or grown is None or grown == head:
                break
            head = grown
            if number == MOST_PASSES - 1:
                _forget(head, back, self.store)
                self._reach_bound("this loop did not settle", head)
            back, exits = self.once(head)
        return Settled(head, back, exits)

    def hurry(self, before: Settled) -> Settled:
        """The loops around it run it again and again: what it once came to stands for all that comes."""
        head = join(self.store, before.head.copy()) or self.store
        _forget(head, before.head, self.store)
        self._reach_bound("this loop is nested too deeply", head)
        back, exits = self.once(head)
        return Settled(head, back, exits)

    def _either_round(self, head: Store, back: Store | None) -> Store | None:
        """What a round begins with. Where each raises, the next one comes after that, as does what is below.

        A `while` may as well have no round.
        """
        joined = _either_round(head, back)
        if joined is not None and back is not None and not isinstance(self.node, ast.While):
            trust = joined.state.trust
            joined.state.trust = trust._replace(raised=back.state.trust.raised or trust.raised)
        return joined

    def _reach_bound(self, what: str, store: Store) -> None:
        self.machine.reach_bound(what, self.frame.site(self.node), self.frame, store)


def _leaves_steps(state: State) -> bool:
    """Whether each round of a loop leaves a whole step pending, which the replicas take together."""
    return state.loop.own.steps and state.pending and state.replicas.launched is True


def _either_round(head: Store, back: Store | None) -> Store | None:
    """What a round begins with: what is there before the loop, or what another round has left.

    A list to which every round appends is longer in each of them, whatever it was before.
    """
    joined = join(head, back)
    if joined is not None and back is not None and back.state.loop.cuts:
        _go_on_growing(joined.names, back.names)
        _go_on_growing(joined.attributes, back.attributes)
    return joined


def _go_on_counting(node: ast.For | ast.AsyncFor | ast.While, start: Store, after: Store) -> None:
    """A number that each round hands to a function, which counts it up, is another one in the next."""
    for name in _handed_on(node):
        now = after.names.get(name)
        if now is not None and isinstance(held := now.payload, Counter) and now != start.names.get(name):
            after.names[name] = now._replace(payload=held._replace(begun=None))


def _go_on_growing(kept: dict[_Key, Value], left: dict[_Key, Value]) -> None:
    for key, value in left.items():
        held, now = value.payload, kept[key].payload
        if isinstance(held, Container) and held.length is not None and isinstance(now, Container):
            kept[key] = kept[key]._replace(payload=now._replace(length=held.length))


def _back_below_tests(state: State, tests: frozenset[Fact], outside: Loop) -> None:
    """The tests of a counter below which a loop stands, here or in a caller, hold again: for the one around,
    nothing is often."""
    if tests or state.scopes.seldom:
        state.facts |= tests
        own, nested = state.loop.own, state.loop.nested
        state.loop = state.loop._replace(
            own=_as_often(own, outside.own), nested=_as_often(nested, outside.nested)
        )


def _as_often(done: Activity, before: Activity) -> Activity:
    return done._replace(cuts_often=before.cuts_often, steps_often=before.steps_often)


def _settle_once(rounds: _Rounds, over: Value | None) -> Settled:
    """A loop inside another runs in each of its passes: the same again has been told already."""
    frame, store = rounds.frame, rounds.store
    runs = frame.loops.setdefault(rounds.node, [])
    circumstances = (over, frame.muted, dict(frame.captured))
    for entry, around, settled in runs:
        if entry == store and around == circumstances:
            return settled.copy()
    if len(runs) == MOST_RUNS:
        return rounds.hurry(runs[-1][-1])
    entry = store.copy()
    settled = rounds.settle(twice=False)
    runs.append((entry, circumstances, settled.copy()))
    return settled


def _end_loop(
    machine: Machine,
    node: ast.For | ast.AsyncFor | ast.While,
    over: Value | None,
    back: Store | None,
    outside: Loop,
    around: Scopes,
    outer_since: tuple[Site, ...],
    frame: Frame,
    store: Store,
    *,
    judged: bool = True,
) -> None:
    state = store.state
    state.scopes = _left(state.scopes, around)
    since = back.state.engine.since if back is not None else ()
    recorded = back.state.engine.recorded if back is not None else NOTHING
    done = state.loop.all
    if back is not None and not (done.trains_or_cuts or may_hold_work(machine, frame, back)):
        recorded = NOTHING  # what a round computes and gives to no name, no cut at its end would run
    seen = done.trains_or_cuts or done.reads
    if recorded != NOTHING and not seen and _may_read(node, frame):
        recorded = NOTHING
    frame.model.end_loop(
        state, outside, over, recorded, frame.site(node),
        since=since, keeps=back is not None and _keeps_work(node, frame, back),
        told=judged and back is not None,
        ragged=ragged_of(over) or _ragged_below(node, back), padded=padded_of(over), whole=whole_of(over),
        in_batches=frame.may_be_in_batches,
        goes_on=rounds_go_on(machine, node, frame, back) if judged and back is not None else None,
        draws=_drawn(machine, node, over, frame, back) if judged and back is not None else None,
        refines=_refined(machine, node, frame, back) if judged and back is not None else None,
        of_parts=over is not None and isinstance(over.payload, Container) and holds_part(element(over)),
        rounds=back.state.loop if back is not None and over is None else None,
        few=around.in_loop and over is not None and 0 < _rounds_of(over) <= FEW_UPDATES,
    )  # fmt: skip
    works = judged and bool(since) and not (done.cuts or done.may_cut)
    if works and isinstance(node, ast.For) and over is not None and counts(over):
        shown, site = spelling(node.iter), frame.site(node.iter)
        frame.model.vary_shape(state, Value(Kind.TENSOR), Form.TRIPS, shown, site)
    engine = state.engine
    since = places(outer_since, engine.since) if engine.recorded != NOTHING else ()
    state.engine = engine._replace(since=since)
    for read in state.owes(Owed.READ):
        if not (read.since or read.inherited):  # it was of what had been recorded when the loop began
            exchange(state, read, read._replace(since=outer_since))


def _ragged_below(node: ast.For | ast.AsyncFor | ast.While, back: Store | None) -> Ragged | None:
    """Whether a loop whose rounds step draws from an iterator, to its end, whose last batch is smaller."""
    if back is None or not back.state.loop.own.steps:
        return None
    loaders = (back.names.get(name) for name in drawn_to_the_end(node))
    return next((ragged for loader in loaders if (ragged := ragged_of(loader)) is not None), None)


def _drawn(
    machine: Machine, node: ast.For | ast.AsyncFor | ast.While, over: Value | None, frame: Frame, back: Store
) -> Assumptions | None:
    """What must be so for each of many rounds to draw on the device, and to read; None: it is not so."""
    done, draws = back.state.loop.all, back.state.loop.draws
    if draws is None or not done.reads or done.trains_or_cuts:
        return None
    is_long = (over is not None and over.kind is Kind.LOADER) or not _is_short(machine, node, frame, back)
    return draws if is_long else None


def _refined(
    machine: Machine, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, back: Store
) -> Assumptions | None:
    """What must be so for each round to make more of what those before have made; None: it does not."""
    done = back.state.loop.all
    if done.fetches or done.trains_or_cuts:
        return None
    many = _are_many(machine, node, frame, back)
    if many is None and _is_short(machine, node, frame, back):
        return None
    return rounds_refine(machine, node, frame, back, many)


def _are_many(
    machine: Machine, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, store: Store
) -> Assumptions | None:
    """What must be so for a loop to have many rounds; None: that is not known."""
    if isinstance(node, ast.While):
        return None
    over = _without_calls(node.iter, _SAME_NUMBER)
    match over:
        case ast.Attribute(attr="timesteps") | ast.Name(id="timesteps"):
            return assume(f"`{spelling(over)}` are many")
        case ast.Call(func=called, args=args) if last_name(called) in RANGES:
            numbers = [literal(machine.evaluate(each, frame, store.copy())) for each in args]
            ends = [number for number in numbers if isinstance(number, int)]
            if 0 < len(ends) == len(numbers) <= 3 and 0 not in ends[2:] and len(range(*ends)) >= _MANY:
                return NONE_ASSUMED
    return None


_SAME_NUMBER: Final = _SAME_ELEMENTS | {"enumerate"}
_MANY: Final = 32
"""So many times the same model in one graph take long to compile."""


def _is_short(machine: Machine, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, store: Store) -> bool:
    """Whether a loop goes over something else than numbers, or over few of them."""
    if isinstance(node, ast.While):
        return False
    match node.iter:
        case ast.Call(func=called, args=[end] | [_, end]) if last_name(called) in _COUNTING:
            number = literal(machine.evaluate(end, frame, store.copy()))
            return isinstance(number, int) and number < MOST_RUNS
    return True


def _may_read(node: ast.For | ast.AsyncFor | ast.While, frame: Frame) -> bool:
    """Whether a loop that reads nothing we know of may read what a model has kept or a hook was given."""
    if frame.function is not None and not _HOOKS.isdisjoint(frame.function.attributes()):
        return True
    run = (node, *statements_run(node.body, frame.function))
    parts = (each for part in run for each in within(part))
    return any(isinstance(each, ast.Attribute) and each.attr in _READERS for each in parts)


_HOOKS: Final = frozenset({"register_forward_hook", "register_forward_pre_hook"})
_READERS: Final = frozenset({"cpu", "item", "numpy", "tolist"})


def _keeps_work(node: ast.For | ast.AsyncFor | ast.While, frame: Frame, store: Store) -> bool:
    """Whether a container or a sum gathers work that is recorded.

    A container of a known length is made anew in each round.
    """
    if any(
        value.recorded.must is Weight.HEAVY
        and isinstance(held := value.payload, Container)
        and held.items is None
        for value in (*store.names.values(), *store.attributes.values())
    ):
        return True
    heavy = {name for name, value in store.names.items() if value.recorded.must is Weight.HEAVY}
    heavy |= {name for (_, name), value in store.attributes.items() if value.recorded.must is Weight.HEAVY}
    summed = heavy & _sums(node, frame.function) if heavy else heavy
    return bool(summed) and not summed <= _made_anew(node.body)


@remembered(1024)  # asked in each context of the function that holds the loop: 1 % of dense code
def _sums(node: ast.For | ast.AsyncFor | ast.While, function: Function | None) -> frozenset[str]:
    """The names and attributes that a round of a loop of `function` binds to what it makes of them."""
    found = set()
    for inner in (each for statement in statements_run(node.body, function) for each in within(statement)):
        match inner:
            case ast.AugAssign(target=ast.Name(id=name) | ast.Attribute(attr=name)):
                found.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=first))):
                if first == name:
                    found.add(name)
    return frozenset(found)


def _made_anew(block: list[ast.stmt]) -> set[str]:
    """The names that a block binds, on every way through it, before it makes something of them."""
    made: set[str] = set()
    used: set[str] = set()
    for statement in block:
        match statement:
            case ast.With(body=body) | ast.Try(body=body):
                bound = _made_anew(body)
            case ast.If(body=body, orelse=orelse) if orelse:
                bound = _made_anew(body) & _made_anew(orelse)
            case ast.Assign(targets=targets, value=value):
                bound = {name for target in targets for name in named(target, ast.Store)} - named(value)
            case _:
                bound = set()
        made |= bound - used
        used |= named(statement) | named(statement, ast.Store)
    return made


@remembered(1024)
def _handed_on(node: ast.For | ast.AsyncFor | ast.While) -> frozenset[str]:
    """The names that a round gives to a call, and binds to what that returns."""
    found: set[str] = set()
    for inner in within(node):
        match inner:
            case ast.Assign(targets=[target], value=ast.Call(args=arguments, keywords=keywords)):
                given = (*arguments, *(keyword.value for keyword in keywords))
                names = {each.id for each in given if isinstance(each, ast.Name)}
                bound = target.elts if isinstance(target, ast.Tuple) else [target]
                found.update(each.id for each in bound if isinstance(each, ast.Name) and each.id in names)
    return frozenset(found)


_FEW: Final = 64
"""So many graphs are few, where they are compiled once: the minibatches of a batch, the crops of an image."""
_LOOKED_UP: Final = (ast.Constant, ast.Name, ast.Attribute)
"""What is looked at once more without any effect."""
_OF_FRAMEWORKS: Final = "backward"
_NEEDS_A_CUT: Final = functions.names_of("xla optimizer step", "add closure") | {_OF_FRAMEWORKS}


_CUTS: Final = functions.names_of("marker", "step scope", "compile")
_ALSO_OF_OPTIMIZERS: Final = "step"


def _counts(machine: Machine, node: ast.expr, frame: Frame, store: Store) -> bool:
    """Whether what is gone over is `range(len(layers))`."""
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[counted])]):
            return bool(dotted(counted)) and holds_some(machine.evaluate(counted, frame, store))
    return False


def _is_of_few(machine: Machine, node: ast.expr, over: Value, frame: Frame, store: Store) -> bool:
    """Whether it is known how many rounds a loop has, some but not many beside what the device is behind."""
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[end]):
            number = literal(machine.evaluate(end, frame, store.copy()))
            return type(number) is int and 0 < number <= _TIMED
    return 0 < _rounds_of(over) < MOST_COUNTED


def _rounds_of(over: Value) -> int:
    """How many rounds a loop has that goes over something of known length; 0: that is not known."""
    held = over.payload
    return len(held.items) if isinstance(held, Container) and held.items is not None else 0


_TIMED: Final = 128
"""The device may be 32 graphs behind: of so many rounds a clock leaves out a quarter or more."""


def _forget(head: Store, back: Store, entry: Store) -> None:
    """The loop did not settle: what it assigns is unknown, what it recorded is only "perhaps"."""
    for name, value in back.names.items():
        if entry.names.get(name) != value:
            head.names[name] = UNKNOWN
    engine = head.state.engine
    head.state.engine = engine._replace(recorded=engine.recorded.perhaps())
    head.state.obligations = entry.state.obligations


EXECUTORS: Final[dict[type, Execute]] = {ast.For: _for, ast.AsyncFor: _for, ast.While: _while}
