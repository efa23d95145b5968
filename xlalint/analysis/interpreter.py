"""The interpreter: functions are entered through tabulated summaries; all parts are put together here."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from xlalint.analysis import attributes, branches, calls, expressions, loops, operators, scopes, statements
from xlalint.analysis.arguments import arguments_of, bind_arguments, captured
from xlalint.analysis.binding import rebind
from xlalint.analysis.bodies import is_started_by_others, seeds_itself, turns_eager_on
from xlalint.analysis.call import Call
from xlalint.analysis.classes import ClassTable
from xlalint.analysis.conditions import told_outside
from xlalint.analysis.decorators import decorator_scopes, is_context_manager, wrappers
from xlalint.analysis.frame import Carried, Frame, SomethingHappened, Uncut
from xlalint.analysis.holding import let_go
from xlalint.analysis.importable import raised_by_import
from xlalint.analysis.library.options import parsed
from xlalint.analysis.machine import Evaluate, Execute
from xlalint.analysis.micro_batches import run_uncut
from xlalint.analysis.moments import enter_moment
from xlalint.analysis.names import Names
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Container,
    Loader,
    Managed,
    Module,
    Opens,
    Optimizer,
    Scoped,
    callable_value,
    constant,
    container_of,
    run,
    settled,
)
from xlalint.analysis.refusals import refused_by_framework
from xlalint.analysis.refusing import raises_without_cuda
from xlalint.analysis.reuse.appearance import is_short, makers
from xlalint.analysis.reuse.kept import Context, Kept
from xlalint.analysis.reuse.lookups import Lookups
from xlalint.analysis.reuse.memo import MOST_DEPTH, Memo
from xlalint.analysis.reuse.summaries import (
    Summary,
    are_idle,
    carried_once,
    changed_containers,
    classes_in,
    context_key,
    differs_in_bound_only,
    entered_state,
    entry_state,
    exit_state,
    generated,
    idle_after,
    lets_go_of_trained,
    outlives,
    owed_by_few_ways,
    seen_from,
    spell_obligations,
    spelled,
    told_once,
    with_obligation,
)
from xlalint.analysis.reuse.trail import Trail
from xlalint.analysis.roots import Plan
from xlalint.analysis.rounds import read_from
from xlalint.analysis.separate_reads import NO_READS, go_on, is_simple, tell_reads
from xlalint.analysis.store import AttributeKey, Store, join
from xlalint.judging import Caller, Occurrence, at_own_call
from xlalint.knowledge import functions
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both
from xlalint.lazy.cuts import AT_ENTRY
from xlalint.lazy.events import Event, ReadThenCut, Save, ShapeVaries
from xlalint.lazy.obligations import Fact, Owed, without_unasked
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.sharding import NO_MESH
from xlalint.lazy.site import Site
from xlalint.lazy.state import Raised, State
from xlalint.lazy.transitions import show_autograd
from xlalint.lazy.values import (
    NONE,
    NOTHING,
    RECURSION,
    UNKNOWN,
    Kind,
    Place,
    Recorded,
    Value,
    Weight,
    is_xla_device,
)
from xlalint.lazy.values import join as join_values
from xlalint.program.assigning import statements_for
from xlalint.program.outline import Class, Function, Import, Outline
from xlalint.program.project import Project
from xlalint.program.rebinding import rebinding

EVALUATORS: Final[dict[type, Evaluate]] = {
    **expressions.EVALUATORS,
    **operators.EVALUATORS,
    **attributes.EVALUATORS,
    **calls.EVALUATORS,
}
"""How each kind of expression is evaluated; others are unknown."""

EXECUTORS: Final[dict[type, Execute]] = {
    **statements.EXECUTORS,
    **branches.EXECUTORS,
    **loops.EXECUTORS,
    **scopes.EXECUTORS,
}
"""How each kind of statement is executed; others do nothing."""

MOST_NESTED: Final = 2000
"""Expressions and blocks are evaluated in each other at most this deep: counted, as how many calls a stack
has room for depends on whether they are compiled."""


class Interpreter(Memo):
    """Interprets functions on demand. One interpreter serves one analysis."""

    def __init__(
        self,
        project: Project,
        plan: Plan,
        kinds: frozenset[type[Event]],
        refusing: frozenset[str],
        *,
        kept: Kept,
        memo: bool = True,
    ) -> None:
        """Args:
        plan: What is worth interpreting.
        kinds: The kinds of events that are to be told; they steer nothing.
        refusing: The files of which an import may raise.
        kept: The summaries of another run.
        memo: Whether summaries are kept; without them every call is interpreted anew.
        """
        super().__init__(kept, memo=memo)
        self.project = project
        self.kinds = kinds
        self.lookups = Lookups(self.apart, self._rest, self.facts, kept.answer)
        self.names = Names(self)
        self.classes = ClassTable(self)
        self._plan = plan
        self._refusing = refusing
        self._nested = 0
        """The expressions and blocks that are being evaluated."""
        self._plain: set[Function] = set()
        """Functions being entered, whose decorators have been seen to."""

    def begin(self) -> None:
        """Forget what was gathered: what comes next is interpreted as if it were all there is."""
        super().begin()
        self._nested = 0
        self._plain = set()

    def apart(self, find: Callable[[], Any]) -> tuple[Any, int]:
        """Find something out as if nothing else were going on; but the stack has no more room than now."""
        plain, nested = self._plain, self._nested
        try:
            return super().apart(partial(self._nested_in, nested, find))
        finally:
            self._plain, self._nested = plain, nested

    def _nested_in(self, depth: int, find: Callable[[], Any]) -> Any:
        self._nested = depth
        return find()

    def _rest(self, rested: int) -> None:
        self.trail.rested |= rested

    # Nodes and values ---------------------------------------------------------------------------

    def evaluate(self, node: ast.expr, frame: Frame, store: Store) -> Value:
        """The value of an expression."""
        evaluator = EVALUATORS.get(type(node))
        if evaluator is None:
            return UNKNOWN
        self._nest()
        value = evaluator(self, node, frame, store)
        self._nested -= 1
        return value

    def run_block(self, body: list[ast.stmt], frame: Frame, store: Store) -> Store | None:
        """Execute statements one after the other."""
        current: Store | None = store
        when = rebinding(frame.outline) if body is frame.outline.tree.body else None
        watched = self.observer if not (frame.quiet or frame.muted) else None
        self._nest()
        apart = NO_READS
        uncut: tuple[tuple[int, Uncut], ...] = ()
        frame.reads.clear()  # those of the header of a statement
        last = store
        only = frame.only
        for number, statement in enumerate(body):
            if current is None:
                break
            if only is not None and statement not in only:
                continue
            last = current
            if when is not None:
                enter_moment(frame, when.at(number))
            if watched is not None:
                watched(statement, frame.outline, current)
            if apart.reads and not is_simple(statement):  # what is true of them, a loop below may change
                tell_reads(apart, frame, current)
                apart = NO_READS
            execute = EXECUTORS.get(type(statement))
            if execute is not None:
                owed, pending = current.state.obligations, current.state.pending
                current = execute(self, statement, frame, current)
                if current is not None and current.state.obligations and not frame.surrounds:
                    let_go(self, frame, current, statement, owed, pending=pending)
                if frame.reads or apart.reads:
                    apart = go_on(apart, statement, frame, last)
                if current is not None and raises_without_cuda(self, statement, frame, current):
                    current = None
                if current is not None and not frame.acted:
                    frame.note_acts(current, self.trail)
                if frame.uncut is not None:
                    uncut, frame.uncut = (*uncut, (number + 1, frame.uncut)), None
        if apart.reads:
            tell_reads(apart, frame, last)
        left_uncut: Uncut | None = None
        for number, held in uncut:
            left = run_uncut(self, body[number:], held, current, frame)
            left_uncut = left_uncut or left
        frame.left_uncut = left_uncut
        self._nested -= 1
        return current

    def _nest(self) -> None:
        """Go one level deeper. The way up is not counted where an error ends the root."""
        self._nested += 1
        if self._nested > MOST_NESTED:
            raise RecursionError

    def sets_default_device(self, outline: Outline) -> bool:
        """Whether a program says where its tensors are made that do not say so themselves."""
        self.rest_on("default device", outline.file)
        return self._plan.sets_default_device()

    def serves_checkpointing(self, outline: Outline) -> bool:
        """Whether a program has PyTorch's activation checkpointing work on XLA devices."""
        self.rest_on("checkpointing", outline.file)
        return self._plan.serves_checkpointing()

    def may_refuse(self, module: str, importer: Outline) -> bool:
        """Whether an import of a module may raise, as something is gone from torch or torch_xla."""
        self.rest_on("refusing", importer.file)
        if not self._refusing:
            return False
        self.rest_on("module", importer.folder, module)
        return self.project.locate_from(module, importer.folder) in self._refusing

    def swaps_parameters(self, outline: Outline) -> bool:
        """Whether moving a module keeps its parameters' identity in the program that `outline` is part of."""
        self.rest_on("swaps", outline.file)
        return self._plan.swaps_parameters(outline)

    def starts_without_spmd(self, outline: Outline) -> bool:
        """Whether it matters to a script if SPMD is on, and surely it is not where it begins."""
        self.rest_on("without spmd", outline.file)
        if not self._plan.starts_without_spmd(outline):
            return False
        self.rest_on("started with", outline.file, functions.SPMD_VARIABLE)
        return not self.project.is_started_with(outline.path, functions.SPMD_VARIABLE)

    def invoke(self, callee: Value, call: Call) -> Value:
        """Call a value."""
        return calls.invoke(self, callee, call)

    # Roots --------------------------------------------------------------------------------------

    def run_root(self, function: Function) -> list[Occurrence]:
        """Interpret a function nobody calls; returns what happens."""
        frame = Frame(function.outline, None, 0, kept=self.kinds)
        store = self._start(function.outline)
        self._run_alone(function, frame, store)
        frame.model.end(store.state, function.site, whole=False)
        told = self._told(frame, None if function.makes_objects else function.owner)
        return [_of_unseen_caller(each) for each in told]

    def run_saver(self, function: Function) -> list[Occurrence]:
        """Interpret a function that saves as if it were called in mid-step.

        Returns what only some replicas save then: on all of them it may as well be called below the step.
        """
        frame = Frame(function.outline, None, 0, kept=self.kinds & {Save})
        store = self._start(function.outline)
        state, heavy = store.state, Recorded(Weight.HEAVY, Weight.HEAVY)
        state.engine = state.engine._replace(
            recorded=heavy, since=(function.site,), parameters=heavy, parameters_reduced=True, idle_since=()
        )
        state.trust = state.trust._replace(bounded=assumptions.MID_STEP)
        self._run_alone(function, frame, store)
        return [
            at_own_call(o)
            for o in self._told(frame)
            if o.event.assumes == assumptions.MID_STEP and o.view.replicas.splits
        ]

    def run_inherited(self, cls: Class, method: Function) -> list[Occurrence]:
        """Interpret a method that a class inherits, for an instance of that class."""
        self.rest_on("class", *cls.key)
        frame = Frame(method.outline, None, 0, kept=self.kinds)
        store = self._start(method.outline)
        store.state.trust = store.state.trust._replace(
            bounded=assumptions.assume(f"`self` is a `{cls.name}`")
        )
        self._run_alone(method, frame, store, self.classes.instance(cls))
        frame.model.end(store.state, method.site, whole=False)
        return [_of_unseen_caller(each) for each in self._told(frame, cls)]

    def _told(self, frame: Frame, made: Class | None = None) -> list[Occurrence]:
        """What happens where a root of a file begins: after what raises when the file is imported.

        With an object of a class that it begins with, after what raises when that is made.
        """
        raised = raised_by_import(self, frame.outline)
        if raised is None and made is not None:
            raised = self.classes.raised_by_making(made)
        return frame.occurrences if raised is None else [each.behind(raised) for each in frame.occurrences]

    def _run_alone(
        self, function: Function, frame: Frame, store: Store, receiver: Value | None = None
    ) -> None:
        self.rest_on("text", *function.key)
        call = Call(frame, store, function.site, None, open_ended=True)
        if receiver is None and function.owner is not None and not function.is_static:
            receiver = self.classes.instance(function.owner)
        bound = Bound(function, receiver)
        target: Value = callable_value(bound)
        if function.parent is not None:
            for kind in decorator_scopes(self, function):
                target = callable_value(Scoped(target, kind))
        if self.classes.has_optimizer_scope(function):
            target = callable_value(Scoped(target, ScopeKind.OPTIMIZER))
        self.invoke(target, call)

    def run_harness(self, cls: Class, harness: Function) -> list[Occurrence]:
        """Interpret what a framework does with an instance of a class of the project."""
        self.rest_on("class", *cls.key)
        frame = Frame(cls.outline, None, 0, kept=self.kinds)
        store = Store(State())
        call = Call(frame, store, harness.site, None, [self.classes.instance(cls)])
        self.enter(Bound(harness), call)
        told, raised = self._told(frame, cls), refused_by_framework(self, cls)
        return told if raised is None else [each.behind(raised) for each in told]

    def run_module(self, outline: Outline) -> list[Occurrence]:
        """Interpret a module body in full."""
        self.rest_on("body", outline.file)
        frame = Frame(outline, None, 0, kept=self.kinds)
        store = self._start(outline)
        # A script starts as one process, unless somebody else started several of it.
        self.rest_on("started", outline.file)
        launched = None if is_started_by_others(outline) else False
        spmd = False if self.starts_without_spmd(outline) else None
        store.state.replicas = store.state.replicas._replace(launched=launched, spmd=spmd)
        if spmd is False:
            store.state.setup = store.state.setup._replace(mesh=NO_MESH)
        store.names["__name__"] = constant("__main__")
        after = self.run_block(outline.tree.body, frame, store)
        if after is not None and outline.tree.body:
            aside = after.copy()  # what functions have read is for those to tell
            aside.state.obligations = frozenset(o for o in aside.state.obligations if len(o.path) == 1)
            frame.model.let_die(aside.state, NOTHING)
            frame.model.end(after.state, outline.site(outline.tree.body[-1]))
        return frame.occurrences

    def _start(self, outline: Outline) -> Store:
        """What holds when something of a module is entered that nobody is seen to call."""
        store = Store(State())
        eager = None if self.mentions(outline, functions.EAGER_MODE) else False
        self.rest_on("eager", outline.file)
        store.state.engine = store.state.engine._replace(
            eager=True if self._plan.starts_eagerly(outline) else eager
        )
        self.rest_on("caches", outline.file)
        if self._plan.sets_up_cache(outline):
            store.state.setup = store.state.setup._replace(caches=True)
        return store

    def _imported(self, outline: Outline) -> Store:
        """What holds where a process begins by importing a module."""
        store = self._start(outline)
        self.rest_on("body", outline.file)
        if turns_eager_on(outline):
            store.state.engine = store.state.engine._replace(eager=True)
        return store

    # Functions ----------------------------------------------------------------------------------

    def enter(self, bound: Bound, call: Call) -> Value:
        """Call a function of the project: by its summary in this context."""
        function = bound.function
        self.rest_on("text", *function.key)
        # Those of a function in a function were seen to where it was defined.
        at_definition = function.parent is not None and function.owner is None
        around = [] if at_definition else self._wrappers_around(function)
        if around:
            target: Value = callable_value(bound)
            self._plain.add(function)
            try:
                for wrapper in around:
                    if isinstance(wrapper, ScopeKind | Opens):
                        target = callable_value(Scoped(target, wrapper))
                    else:
                        given = Call(call.frame, call.store, call.site, None, [target])
                        wrapped = self.invoke(wrapper, given)
                        target = wrapped if wrapped.kind is Kind.CALLABLE else target
                return self.invoke(target, call)
            finally:
                self._plain.discard(function)
        if function.yields() and is_context_manager(function):
            names = bind_arguments(self, bound, call)
            self.trail.entered |= self.functions.bit(function.key)
            payload = Managed(bound, tuple(sorted(names.items())), tuple(captured(bound, call).items()))
            return Value(Kind.SCOPE, payload=payload)
        if call.frame.shallow:
            return UNKNOWN
        bit = self.functions.bit(function.key)
        trail = self.trail
        trail.tried |= bit
        trail.deepest = max(trail.deepest, call.frame.depth)
        recursive = bool(self._on_stack & bit)
        if recursive or call.frame.depth >= MOST_DEPTH:
            trail.recursions |= bit
            if recursive:
                trail.cut_off |= bit
            else:
                trail.too_deep = True
            self._bound(call, "a recursive call" if recursive else "calls are nested too deeply")
            return RECURSION if recursive and function.owner is None and not function.yields() else UNKNOWN
        names = bind_arguments(self, bound, call)
        held = captured(bound, call)
        if not self._is_worth_entering(function, names, held, call):
            return parsed(function.outline, function.attributes()) or UNKNOWN
        trail.entered |= bit
        scopes = call.store.state.scopes
        asked = call.node is not None and call.node is call.frame.at_once and function.yields()
        between = call.frame.between if asked else None
        if between is not scopes.between:
            call.store.state.scopes = scopes._replace(between=between)
        summary = self.summary(function, names, held, call)
        call.store.state.scopes = scopes
        value = self._replay(function, summary, call)
        self._give_back(function, summary, call)
        if function.outline.is_framework and not call.frame.outline.is_framework:
            value = _made_at(value, call.site)
        if function.yields():
            return generated(summary, function.node)
        # A function that never returns ends here for whoever called it, as far as we see.
        return UNKNOWN if summary.store is None else value

    def _wrappers_around(self, function: Function) -> list[ScopeKind | Opens | Value]:
        if not function.decorators or function in self._plain:
            return []
        # A decorator may call the very function that it decorates.
        return self.lookups.find(("wrappers", function), lambda: wrappers(self, function), list)

    def is_relevant(self, function: Function) -> bool:
        self.rest_on("relevant", *function.key)
        return function in self._plan.relevant

    def _is_worth_entering(
        self, function: Function, names: dict[str, Value], captured: dict[str, Value], call: Call
    ) -> bool:
        """Whether a call may have to do with the engine: by what the function names, or by what it gets.

        Short functions are always entered, for the sake of what they return, and so are those that name what
        makes a loader, or return an object of a class of the project.
        """
        if function.outline.is_framework or is_short(function.node):
            return True
        loaders = functions.MAKES_LOADERS
        if not (loaders.isdisjoint(function.outer_names()) and loaders.isdisjoint(function.attributes())):
            return True
        self.rest_on("relevant", *function.key)
        if function in self._plan.relevant or self._makes_an_object(function) or self._picks(function):
            return True
        state = call.store.state
        given = {**names, **captured}
        if not are_idle(given) or any(map(_lists_what_to_do, given.values())):
            return True
        if state.scopes.open or state.awaits_a_reader:
            return True
        if self.classes.has_optimizer_scope(function):
            return True
        attributes = self.within_reach(call.store.attributes, names, captured)
        # That nobody has assigned one of them yet is what this rests on, too.
        classes = {cls for value in given.values() for cls in classes_in(value)}
        for cls in classes:
            for name in function.attributes():
                self.touch((cls, name))
        if not self._names_idle(function, attributes):
            return True
        return function.owner in classes and self._names_of_device(function, function.owner)

    def _makes_an_object(self, function: Function) -> bool:
        """Whether a function returns what it makes of a class of the project that has methods."""
        return any(
            isinstance(of := self.names.global_name(name, function.outline, function).payload, Classes)
            and any(isinstance(cls, Class) and cls.methods for cls in of.of)
            for name in makers(function.node)
        )

    def _picks(self, function: Function) -> bool:
        """Whether a function names a table of its module that holds objects of the project's classes."""
        return self.lookups.find(("picks", function), lambda: self._find_picks(function), lambda: False)

    def _find_picks(self, function: Function) -> bool:
        outline = function.outline
        for name in sorted(function.outer_names().intersection(outline.bindings)):
            if any(isinstance(bound, ast.List | ast.Tuple | ast.Dict) for bound in outline.bindings[name]):
                held = self.names.global_name(name, outline, function)
                if any(cls.methods for cls in classes_in(held)):
                    return True
        return False

    def _names_of_device(self, method: Function, cls: Class | None) -> bool:
        """Whether a method names what each instance of its class surely holds on a device of XLA."""
        if cls is None or not self._plan.looks_at(cls.outline.path) or self.classes.is_tabulating(cls):
            return False
        held = self.classes.attributes(cls)
        return any(
            name in held and held[name].sure and _is_on_device(held[name]) for name in method.attributes()
        )

    def interpret(
        self, function: Function, names: dict[str, Value], captured: dict[str, Value],
        attributes: dict[AttributeKey, Value], entry: State, call: Call, *, trial: bool = False,
    ) -> Summary:  # fmt: skip
        self.statistics["contexts"] += 1
        frame = Frame(function.outline, function, call.frame.depth + 1, kept=self.kinds)
        frame.quiet = call.frame.quiet or call.frame.muted
        frame.captured = captured
        frame.shallow = call.frame.shallow
        frame.only = call.frame.only if call.frame.function is None else None
        own = self.functions.bit(function.key)
        trail = Trail(entered=own, deepest=call.frame.depth)
        frame.attributes = len(attributes)
        if trial:
            frame.trial = trail
        elif not (call.frame.muted or call.frame.once):
            frame.trial = call.frame.trial
        outer, self.trail = self.trail, trail
        nested = self._nested
        self._on_stack |= own
        try:
            return self._interpreted(function, names, attributes, entry, frame, call.frame.depth)
        except SomethingHappened as found:
            if found.trial is not trail:
                raise
            self._nested = nested
            return Summary(None, NONE, (), (), [], trail, call.frame.depth)
        finally:
            self._on_stack &= ~own
            self.trail = outer
            trail.recursions &= ~own
            trail.cut_off &= ~own
            outer.take(trail)

    def _interpreted(
        self, function: Function, names: dict[str, Value], attributes: dict[AttributeKey, Value],
        entry: State, frame: Frame, depth: int,
    ) -> Summary:  # fmt: skip
        """What an activation does that has just begun."""
        trail, captured = self.trail, frame.captured
        store = Store(entry)
        store.names = {**captured, **names}
        store.attributes = dict(attributes)
        frame.found = entry.engine.recorded
        unchanged = entry.copy()
        node = function.node
        if isinstance(node, ast.Lambda):
            value = self.evaluate(node.body, frame, store)
            ends = [(store, value, function.site)]
        else:
            after = self.run_block(node.body, frame, store)
            ends = list(frame.exits.returns)
            if after is not None:
                ends.append((after, NONE, function.site))
        told = function.name not in _WITH_ITS_COUNTERPART
        frame.model.settle_collectives([end.state for end, _, _ in ends], function.site, told=told)
        stores = [*(end for end, _, _ in ends), *(raised for raised, _ in frame.exits.raises)]
        frame.model.settle_markers(store.state for store in stores)
        exit_store: Store | None = None
        changed: tuple[tuple[str, Value], ...] = ()
        value = NONE
        for number, (end, returned, _) in enumerate(ends):
            exit_store = end.copy() if exit_store is None else join(exit_store, end)
            value = returned if number == 0 else join_values(value, returned)
        if len(ends) > 1 and _are_parted(ends, unchanged):
            value = _said_by_a_test(value, [returned for _, returned, _ in ends])
        if exit_store is not None:
            within_reach = partial(self.within_reach, exit_store.attributes, captured={})
            if not function.yields() and not outlives(
                value, exit_store, names, captured, attributes, within_reach
            ):
                given = (*captured.values(), *names.values())
                given_work = any(value.recorded.may is Weight.HEAVY for value in given)
                frame.model.let_die(exit_store.state, frame.found, given=given_work)
            if exit_store.state.is_owed(Owed.EXIT) and lets_go_of_trained(
                value, exit_store, function, names, captured
            ):
                frame.model.forget_exits(exit_store.state)
            exit_store.state.obligations = owed_by_few_ways(exit_store.state.obligations)
            left = exit_store.names
            exit_store.names = {
                name: left[name]
                for name in (*function.free_names(), *captured)
                if name in left and left[name] is not captured.get(name)
            }
            changed = changed_containers(function, names, left)
            exit_store.attributes = {
                name: exit_store.attributes[name]
                for name in self.attributes.of(trail.touched)
                if name in exit_store.attributes and exit_store.attributes[name] != attributes.get(name)
            }
            own = self.functions.bit(function.key)
            value = settled(value) if trail.recursions & own else value
            if trail.recursions == own and differs_in_bound_only(exit_store.state, unchanged):
                # What does nothing to the engine but call itself does nothing to the engine.
                exit_store.state.trust = exit_store.state.trust._replace(bounded=unchanged.trust.bounded)
        trail.asked |= entry.asked.sorts
        if exit_store is not None:
            # Whoever calls owes these as before; which callers do must tell no summaries apart.
            exit_store.state.obligations = without_unasked(exit_store.state.obligations, trail.asked)
        return Summary(
            exit_store, value, told_once(frame.occurrences), carried_once(frame.carried), frame.yields,
            trail, depth, changed, frame.acted,
        )  # fmt: skip

    def _replay(self, function: Function, summary: Summary, call: Call) -> Value:
        """Do to the caller what the summary says, with places as the caller sees them."""
        state = call.store.state
        told = partial(told_outside, function=function, call=call.node)
        if not call.frame.muted:
            self._tell(summary, call, told)
        if summary.store is None:
            if function.owner is None and function.only_raises():  # methods may be there to be defined
                state.raises(Raised(call.site, f"`{call.spelling}` raises"))
            return summary.value
        left = summary.store
        if summary.did_nothing:
            if left.state.engine.idle_since != AT_ENTRY:
                idle_since = idle_after(left.state, state, call.site)
                state.engine = state.engine._replace(idle_since=idle_since)
            return summary.value
        reads = partial(read_from, function, call.node)
        asked = summary.trail.asked
        call.store.state = exit_state(left.state, asked, state, call.site, function.site, told, reads)
        if call.store.state.obligations:
            spell_obligations(call.store.state, call.spelling)
        if left.state.loop.cuts:
            call.store.run_all()
        elif left.state.loop.may_cut:
            call.store.maybe_run_all()
        if left.state.loop.all.backward:
            call.store.free_history()
            show_autograd(call.store.state)
        for identity, move in left.moved.items():
            call.store.move_module(identity, move.called_at(call.site))
        # What the function has set knows already what it has moved, and may have been built below the move.
        call.store.attributes.update(left.attributes)
        return summary.value

    def _tell(self, summary: Summary, call: Call, told: Callable[[frozenset[Fact]], frozenset[Fact]]) -> None:
        """Pass on what happened in a called function, as far as its caller holds what it speaks of."""
        frame, state = call.frame, call.store.state
        if summary.occurrences:
            caller = Caller(call.site, state.scopes.open, state.replicas.splits, state.engine.since)
            for occurrence, hidden, is_open in summary.telling():
                if frame.once and isinstance(occurrence.event, ShapeVaries):
                    continue
                if hidden or is_open:
                    event = spelled(occurrence.event, call.spelling) if hidden else occurrence.event
                    occurrence = Occurrence(event, occurrence.view, (*occurrence.callers, caller))
                frame.tell(occurrence)
        for carried in summary.carried:
            obligation = carried.event.obligation  # type: ignore[attr-defined]
            view = seen_from(carried.view, state)
            facts = told(carried.facts)
            for mine in state.owes(obligation.owed):
                if obligation.terms.told_apart_by_detail and mine.detail != obligation.detail:
                    continue
                if any(fact.excludes(other) for fact in facts for other in mine.when):
                    continue
                event = with_obligation(carried.event, mine)
                if event.site.in_framework:
                    event = replace(event, site=call.site)  # users see it where they call
                if mine.inherited:
                    frame.carried.append(Carried(event, view, state.facts))
                else:
                    frame.tell(Occurrence(event, view))

    def _give_back(self, function: Function, summary: Summary, call: Call) -> None:
        """What a function did to containers that it was given, and a nested one to names around it."""
        caller = call.frame.function
        for name, value in summary.changed:
            node = arguments_of(function, call.node).get(name)
            if isinstance(node, ast.Name | ast.Attribute):
                rebind(self, node, value, call.frame, call.store)
        if summary.store is None or function.parent is None or caller is None:
            return
        for name, value in summary.store.names.items():
            own = function.parent is caller and name in caller.locals()
            if own or (function.parent in (caller, caller.parent) and name in call.store.names):
                call.store.names[name] = value

    # Callbacks ----------------------------------------------------------------------------------

    def run_closure(self, body: Value, arguments: list[Value], call: Call) -> None:
        """A step closure runs at the next cut: nothing is recorded, all else is as it is."""
        aside = call.store.copy()
        aside.run_all()
        aside.state.engine = aside.state.engine._replace(recorded=NOTHING, parameters=NOTHING)
        aside.state.obligations = frozenset()
        aside.state.scopes = aside.state.scopes._replace(open=(), in_closure=True)
        self.invoke(body, Call(call.frame, aside, call.site, None, [run(a) for a in arguments]))
        call.frame.model.settle_steps(aside.state)

    def run_replica(
        self, target: Value, arguments: list[Value], call: Call, *,
        indexed: bool = True, several: bool | None = True, anew: bool = False,
        assumes: Assumptions = assumptions.NONE,
    ) -> Value:  # fmt: skip
        """A launched function starts afresh on every replica."""
        aside = self._imported(call.frame.outline) if anew else Store(State())
        # What turns SPMD on sets a variable of the environment, which processes inherit.
        spmd = aside.state.replicas.spmd or call.store.state.replicas.spmd
        aside.state.replicas = aside.state.replicas._replace(launched=several, spmd=spmd)
        raised = call.store.state.trust.raised
        aside.state.trust = aside.state.trust._replace(bounded=assumes, raised=raised)
        if not anew:  # objects hold what they did
            aside.state.engine = aside.state.engine._replace(eager=call.store.state.engine.eager)
            aside.attributes.update((key, run(value)) for key, value in call.store.attributes.items())
        setup = call.store.state.setup
        aside.state.setup = aside.state.setup._replace(caches=setup.caches, registered=setup.registered)
        is_own = anew and several and not call.frame.outline.is_framework  # a framework shares its weights
        if is_own and not self._is_seeded_by_import(call.frame.outline):
            call.frame.model.begin_unseeded(aside.state, call.site)
        call.frame.model.hand_seed(call.store.state, aside.state)
        call.frame.model.use_device(aside.state, call.spelling, call.site)
        index = [Value(Kind.ORDINAL, differs=True)] if indexed else []
        inner = Call(call.frame, aside, call.site, None, [*index, *(run(a) for a in arguments)])
        result = self.invoke(target, inner)
        call.frame.model.end(aside.state, call.site)
        return container_of(run(result))

    def _is_seeded_by_import(self, outline: Outline) -> bool:
        """Whether a module or one that it imports may give a seed, where a process begins by importing it."""
        imported = (
            self.names.find_module(name, outline)
            for bindings in outline.bindings.values()
            for binding in bindings
            if isinstance(binding, Import)
            for name in (binding.target, binding.target.rpartition(".")[0])
            if name
        )
        for each in (outline, *imported):
            if each is not None:
                self.rest_on("body", each.file)
                if seeds_itself(each):
                    return True
        return False

    def escape(self, bound: Bound, call: Call) -> None:
        """A function handed to an unknown callee is judged once there; what it does is dropped."""
        bit = self.functions.bit(bound.function.key)
        self.trail.tried |= bit
        if self._on_stack & bit:
            self.trail.cut_off |= bit
            return
        aside = call.store.copy()
        aside.state.obligations = frozenset()
        self.enter(bound, Call(call.frame, aside, call.site, None, open_ended=True))
        call.frame.model.settle_steps(aside.state)

    def tabulate(
        self, method: Function, receiver: Value, store: Store, wanted: frozenset[str] | None
    ) -> Raised | None:
        """Run a method for the attributes that it assigns in `store`; returns what surely raises in it."""
        self.rest_on("assigned", *method.key)
        frame = self._frame_for(method, wanted, 0)
        flags = self.flags(method)
        call = Call(frame, store, method.site, None, keywords=flags, open_ended=True)
        names = bind_arguments(self, Bound(method, receiver), call)
        entry = entry_state(store.state, method)
        summary = self._tabulated(method, wanted, names, entry, call)
        if summary.store is None:
            return None
        store.attributes.update(summary.store.attributes)
        return summary.store.state.trust.raised

    def _frame_for(self, method: Function, wanted: frozenset[str] | None, depth: int) -> Frame:
        """What calls a method for the attributes that it assigns; see `tabulate`."""
        frame = Frame(method.outline, None, depth)
        if wanted is not None:
            frame.shallow = True
            frame.only = statements_for(method.node, wanted, partial(self._is_library, method.outline))
        return frame

    def _is_library(self, outline: Outline, name: str) -> bool:
        """Whether a name of a module is imported from torch or torch_xla."""
        self.rest_on("name", outline.file, name)
        return any(
            isinstance(bound, Import) and bound.target.partition(".")[0] in functions.LIBRARIES
            for bound in outline.bindings.get(name, ())
        )

    def flags(self, method: Function) -> dict[str, Value]:
        """What a constructor is given wherever the program makes an object, by all alike or by nobody."""
        cls = method.owner
        if method.name != "__init__" or cls is None:
            return {}
        self.rest_on("flags", *cls.key)
        return {name: constant(flag) for name, flag in self._plan.flags_of_all(cls).items()}

    def _tabulated(
        self,
        method: Function,
        wanted: frozenset[str] | None,
        names: dict[str, Value],
        entry: State,
        call: Call,
    ) -> Summary:
        """What a method does when it is run for its attributes. That is no context that a root comes to."""
        key = (ATTRIBUTES, wanted, context_key(names, {}, entry))
        held, owed = call.store.attributes, entry.waiting
        for context in self._contexts_of(method).get(key, ()) if self._memo else ():
            if context.is_met(held, owed):
                if context.is_packed:
                    self._kept_before.unpack(context)
                clean = context.clean if context.lasting else None
                if clean is not None and self._serves(clean, context, call.frame.depth):
                    self._counted |= clean.trail.contexts
                    self.trail.take(clean.trail, call.frame.depth + clean.height)
                    return clean
        context, summary, _ = self._new(method, key, names, {}, held, entry, call, self.lookups.innermost)
        context.is_partial = context.is_partial or not context.lasting
        return summary

    def tabulated_again(self, method: Function, key: Any, context: Context, before: Summary) -> int | None:
        """The facts that a method rests on now when it is run for its attributes; None if it does else."""
        _, wanted, (names, _, state) = key
        receiver = [cls for name, value in names if name == method.receiver for cls in classes_in(value)]
        if len(receiver) != 1:
            return None
        (cls,) = receiver
        frame = self._frame_for(method, wanted, before.depth)
        call = Call(frame, Store(State()), method.site, None, open_ended=True)
        attributes = {name: value for name, value in context.attributes if value is not None}
        entry = entered_state(state, context.owed)
        self.begin()
        self.lookups.leaning = 0
        with self.classes.being_tabulated(cls, {name: held for (_, name), held in attributes.items()}):
            try:
                now = self.interpret(method, dict(names), {}, attributes, entry, call)
            except RecursionError:
                return None
            # What it took from the table it has touched.
            is_same = not self.lookups.leaning & ~self.lookups.innermost and now.does_as(before)
            self.lookups.leaning = 0
        self.begin()
        return now.trail.rested if is_same else None


def _are_parted(ends: list[tuple[Store, Value, Site]], entry: State) -> bool:
    """Whether a test that does not come out the same on all replicas says by which end a function is left."""
    around = len(entry.replicas.splits)
    parted = [
        tuple(split for split in end.state.replicas.splits[around:] if not split.is_rank_test)
        for end, _, _ in ends
    ]
    return any(each != parted[0] for each in parted)


def _said_by_a_test(value: Value, returned: list[Value]) -> Value:
    """What is returned where a test that parts the replicas says which of these: numbers of the host differ
    between them, constants too, and so do those in a tuple."""
    kinds = {each.kind for each in returned}
    if kinds == {Kind.CONTAINER} and isinstance(held := value.payload, Container) and held.items:
        tuples = [each.payload.items for each in returned if isinstance(each.payload, Container)]
        if all(items is not None and len(items) == len(held.items) for items in tuples):
            each_of = zip(*(items or () for items in tuples), strict=True)
            items = tuple(map(_said_by_a_test, held.items, map(list, each_of)))
            return value._replace(payload=held._replace(items=items))
    if kinds <= {Kind.CONSTANT, Kind.HOST} and any(each != returned[0] for each in returned):
        return value._replace(kind=Kind.HOST, differs=True)
    return value


ATTRIBUTES: Final = "attributes"
"""What the key of a context begins with in which a method is run for the attributes that it assigns."""

_WITH_ITS_COUNTERPART: Final = frozenset({"__enter__", "__exit__", "__aenter__", "__aexit__"})
"""Methods of which one may wait for what another does: replicas meet over the whole life of the object."""


def _of_unseen_caller(occurrence: Occurrence) -> Occurrence:
    """What happens where nobody is seen to call: whoever does may have turned autograd off."""
    event = occurrence.event
    if not (isinstance(event, ReadThenCut) and event.obligation.if_autograd):
        return occurrence
    return occurrence._replace(event=replace(event, assumes=both(event.assumes, assumptions.AUTOGRAD)))


def _lists_what_to_do(value: Value) -> bool:
    """Whether a value is a list of texts or the like, which may say what a function does."""
    held = value.payload
    return isinstance(held, Container) and held.element.kind is not Kind.HOST


def _is_on_device(value: Value) -> bool:
    """Whether a value is a device of XLA, or on one, or a loader that cuts the graph."""
    match value.payload:
        case Module(place=place) | Optimizer(place=place):
            return place is Place.XLA
        case Loader(cuts=cuts):
            return cuts is True
    return is_xla_device(value) or value.kind is Kind.TENSOR


def _made_at(value: Value, site: Site) -> Value:
    """A module that a framework makes, as one that is made where the user calls it."""
    made = value.payload
    if isinstance(made, Module) and any(at.in_framework for at in made.identity):
        return value._replace(payload=made._replace(identity=(site,)))
    return value
