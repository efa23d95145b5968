"""The interpreter: functions are entered through tabulated summaries; all parts are put together here."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from xlalint.analysis import (
    attributes,
    branches,
    calls,
    expressions,
    loops,
    operators,
    scopes,
    statements,
)
from xlalint.analysis.arguments import bind_arguments, captured
from xlalint.analysis.call import Call
from xlalint.analysis.classes import ClassTable
from xlalint.analysis.decorators import decorator_scopes, is_context_manager
from xlalint.analysis.frame import Carried, Frame
from xlalint.analysis.library.loaders import BATCH
from xlalint.analysis.lookups import Lookups
from xlalint.analysis.machine import Evaluate, Execute, Machine
from xlalint.analysis.names import Names
from xlalint.analysis.outline import Class, Function, Outline
from xlalint.analysis.payloads import (
    Bound,
    Managed,
    Module,
    Scoped,
    callable_value,
    constant,
    container_of,
    run,
)
from xlalint.analysis.project import Project
from xlalint.analysis.roots import Plan
from xlalint.analysis.store import AttributeKey, Store, join
from xlalint.analysis.summaries import (
    Summary,
    are_idle,
    by_name,
    carried_once,
    classes_in,
    context_key,
    differs_in_bound_only,
    entry_state,
    exit_state,
    generated,
    is_open,
    let_die,
    outlives,
    owed_by_few_ways,
    seen_from,
    told_once,
    unknown_state,
    widened,
    with_obligation,
)
from xlalint.judging import Caller, Occurrence
from xlalint.knowledge import functions
from xlalint.knowledge.frameworks import Given, Hook
from xlalint.lazy.events import BoundReached, Event
from xlalint.lazy.site import Site
from xlalint.lazy.state import ScopeKind, State
from xlalint.lazy.values import NONE, NOTHING, UNKNOWN, Kind, Place, Value
from xlalint.lazy.values import join as join_values

Observer = Callable[[ast.stmt, Outline, Store], None]

EVALUATORS: dict[type, Evaluate] = {
    **expressions.EVALUATORS,
    **operators.EVALUATORS,
    **attributes.EVALUATORS,
    **calls.EVALUATORS,
}
"""How each kind of expression is evaluated; others are unknown."""

EXECUTORS: dict[type, Execute] = {
    **statements.EXECUTORS,
    **branches.EXECUTORS,
    **loops.EXECUTORS,
    **scopes.EXECUTORS,
}
"""How each kind of statement is executed; others do nothing."""

MANY_CONTEXTS = 4
"""From this many contexts on, those that differ only in a number or text count as one."""
MOST_CONTEXTS = 32
"""At most this many contexts of one function are kept apart; then its arguments become unknown."""
SHORT = 12
"""Functions of at most this many lines are entered whatever they have to do with the engine."""
MOST_DEPTH = 24
"""Calls are followed at most this deep."""


class Interpreter(Machine):
    """Interprets functions on demand. One interpreter serves one analysis."""

    def __init__(
        self,
        project: Project,
        plan: Plan,
        kinds: frozenset[type[Event]],
        *,
        memo: bool = True,
    ) -> None:
        """Args:
        plan: What is worth interpreting.
        kinds: The kinds of events that are to be told; they steer nothing.
        memo: Whether summaries are kept; without them every call is interpreted anew.
        """
        self.project = project
        self.kinds = kinds
        self.lookups = Lookups(self._apart)
        self.names = Names(self)
        self.classes = ClassTable(self)
        self.statistics = {"functions": 0, "contexts": 0, "passes": 0, "bounds": 0, "unknown calls": 0}
        self.entered: set[Function] = set()
        """Functions entered since the caller of `run_root` last asked."""
        self.observer: Observer | None = None
        """Called with each statement, its module and the store before it."""
        self._plan = plan
        self._memo = memo
        self._summaries: dict[Function, dict[Any, Summary]] = {}
        self._holds: dict[Class, frozenset[Class]] = {}
        self._stack: list[Function] = []
        self._cut_off: set[Function] = set()
        """Functions on the stack that were called once more since the innermost was entered."""
        self._too_deep = False
        """Whether a call was not followed for being too deep since the innermost was entered."""
        self._recursions: set[Function] = set()
        """Functions whose calls, within the present activation, were cut short at a bound."""
        self._plain: set[Function] = set()
        """Functions being entered, whose decorators have been seen to."""

    # Nodes and values ---------------------------------------------------------------------------

    def evaluate(self, node: ast.expr, frame: Frame, store: Store) -> Value:
        """The value of an expression."""
        evaluator = EVALUATORS.get(type(node))
        return evaluator(self, node, frame, store) if evaluator is not None else UNKNOWN

    def run_block(self, body: list[ast.stmt], frame: Frame, store: Store) -> Store | None:
        """Execute statements one after the other."""
        current: Store | None = store
        watched = self.observer if not (frame.quiet or frame.muted) else None
        for statement in body:
            if current is None:
                return None
            if watched is not None:
                watched(statement, frame.outline, current)
            execute = EXECUTORS.get(type(statement))
            if execute is not None:
                current = execute(self, statement, frame, current)
        return current

    def swaps_parameters(self, outline: Outline) -> bool:
        """Whether moving a module keeps its parameters' identity in the program that `outline` is part of."""
        self.lookups.rested.add(("swaps", outline.file, ""))
        return self._plan.swaps_parameters(outline)

    def invoke(self, callee: Value, call: Call) -> Value:
        """Call a value."""
        return calls.invoke(self, callee, call)

    def _apart(self, find: Callable[[], Any]) -> Any:
        """Find something out as if nothing else were going on: the answer depends on the program alone."""
        held = (
            self._summaries, self._stack, self._cut_off, self._too_deep, self._recursions, self._plain,
            self.entered,
        )  # fmt: skip
        self._afresh()
        try:
            return find()
        finally:
            (
                self._summaries, self._stack, self._cut_off, self._too_deep, self._recursions, self._plain,
                self.entered,
            ) = held  # fmt: skip

    def _afresh(self) -> None:
        self._summaries = {}
        self._stack = []
        self._cut_off = set()
        self._too_deep = False
        self._recursions = set()
        self._plain = set()
        self.entered = set()

    # Roots --------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Forget what was gathered: the next root is interpreted as if it were the only one."""
        self._afresh()
        self.lookups.rested = set()

    def run_root(self, function: Function) -> list[Occurrence]:
        """Interpret a function nobody calls; returns what happens."""
        self.lookups.rested.add(("text", *function.key))
        frame = Frame(function.outline, None, 0, kept=self.kinds)
        store = self._start(function.outline)
        call = Call(frame, store, function.site, None, open_ended=True)
        receiver = None
        if function.owner is not None and not function.is_static:
            receiver = self.classes.instance(function.owner)
        bound = Bound(function, receiver)
        target: Value = callable_value(bound)
        if function.parent is not None:
            for kind in decorator_scopes(self, function):
                target = callable_value(Scoped(target, kind))
        if self.classes.has_optimizer_scope(function):
            target = callable_value(Scoped(target, ScopeKind.OPTIMIZER))
        self.invoke(target, call)
        frame.model.end(store.state, function.site)
        return frame.occurrences

    def run_hook(self, method: Function, hook: Hook) -> list[Occurrence]:
        """Interpret a method as a framework calls it: between a batch and the cut that ends the step."""
        assert method.owner is not None
        self.lookups.rested.add(("class", *method.owner.key))
        frame = Frame(method.outline, None, 0, kept=self.kinds)
        store = Store(State())
        store.state.scopes = store.state.scopes._replace(in_loop=True)
        arguments = [_GIVEN[parameter] for parameter in hook.parameters]
        call = Call(frame, store, method.site, None, arguments, open_ended=True)
        self.enter(Bound(method, self.classes.instance(method.owner)), call)
        frame.model.cut(store.state, hook.cut, "", method.site)
        frame.model.settle_steps(store.state)
        # The framework's loop is nowhere in sight: the read itself is where the finding belongs.
        return [_without_call(occurrence, method.site) for occurrence in frame.occurrences]

    def run_module(self, outline: Outline) -> list[Occurrence]:
        """Interpret a module body in full."""
        self.lookups.rested.add(("body", outline.file, ""))
        frame = Frame(outline, None, 0, kept=self.kinds)
        store = self._start(outline)
        # A script starts as one process, unless somebody else started several of it.
        launched = None if self._mentions(outline, functions.STARTED_ELSEWHERE) else False
        store.state.replicas = store.state.replicas._replace(launched=launched)
        store.names["__name__"] = constant("__main__")
        after = self.run_block(outline.tree.body, frame, store)
        if after is not None and outline.tree.body:
            frame.model.end(after.state, outline.site(outline.tree.body[-1]))
        return frame.occurrences

    def _start(self, outline: Outline) -> Store:
        """What holds when something of a module is entered that nobody is seen to call."""
        store = Store(State())
        eager = None if self._mentions(outline, functions.EAGER_MODE) else False
        store.state.engine = store.state.engine._replace(eager=eager)
        return store

    def _mentions(self, outline: Outline, names: frozenset[str]) -> bool:
        self.lookups.rested.add(("mentions", outline.file, " ".join(sorted(names))))
        return outline.mentions(names)

    # Functions ----------------------------------------------------------------------------------

    def enter(self, bound: Bound, call: Call) -> Value:
        """Call a function of the project: by its summary in this context."""
        function = bound.function
        self.lookups.rested.add(("text", *function.key))
        # Those of a function in a function were seen to where it was defined.
        at_definition = function.parent is not None and function.owner is None
        scopes = [] if at_definition else self._scopes_around(function)
        if scopes:
            target: Value = callable_value(bound)
            self._plain.add(function)
            try:
                for kind in scopes:
                    target = callable_value(Scoped(target, kind))
                return self.invoke(target, call)
            finally:
                self._plain.discard(function)
        if function.yields() and is_context_manager(function):
            names = bind_arguments(self, bound, call)
            self.entered.add(function)
            payload = Managed(bound, tuple(sorted(names.items())), tuple(captured(bound, call).items()))
            return Value(Kind.SCOPE, payload=payload)
        if call.frame.shallow:
            return UNKNOWN
        if function in self._stack or call.frame.depth >= MOST_DEPTH:
            self._recursions.add(function)
            recursive = function in self._stack
            if recursive:
                self._cut_off.add(function)
            else:
                self._too_deep = True
            self._bound(call, "a recursive call" if recursive else "calls are nested too deeply")
            return UNKNOWN
        names = bind_arguments(self, bound, call)
        held = captured(bound, call)
        if not self._is_worth_entering(function, names, held, call):
            return UNKNOWN
        self.entered.add(function)
        summary = self._summary(function, names, held, call)
        value = self._replay(summary, call)
        self._give_back(function, summary, call)
        if function.yields():
            return generated(summary)
        # A function that never returns ends here for whoever called it, as far as we see.
        return UNKNOWN if summary.store is None else value

    def _scopes_around(self, function: Function) -> list[ScopeKind]:
        if not function.decorators or function in self._plain:
            return []
        # A decorator may call the very function that it decorates.
        return self.lookups.find(("scopes", function), lambda: decorator_scopes(self, function), list)

    def _summary(
        self, function: Function, names: dict[str, Value], captured: dict[str, Value], call: Call
    ) -> Summary:
        kept = self._summaries.setdefault(function, {})
        scopes = call.store.state.scopes.open
        attributes = self._within_reach(call.store.attributes, names, captured)
        if not scopes and are_idle(names) and are_idle(captured) and are_idle(attributes):
            # Nothing of the engine's goes in: unless something happens inside, one context serves all.
            summary = self._neutral_summary(function, kept, names, captured, call)
            if summary is not None and summary.did_nothing:
                self._rest_on(summary)
                return summary
        entry = entry_state(call.store.state, function)
        key = context_key(names, captured, attributes, entry)
        summary = self._kept(kept, key, call)
        if summary is None and len(kept) >= MANY_CONTEXTS:
            names = {name: widened(value) for name, value in names.items()}
            captured = {name: widened(value) for name, value in captured.items()}
            if len(kept) >= MOST_CONTEXTS:
                self._bound(call, "this function is called in too many different states")
                names = {name: value if name == "self" else UNKNOWN for name, value in names.items()}
                captured = {
                    name: value if value.kind is Kind.CALLABLE else UNKNOWN
                    for name, value in captured.items()
                }
                attributes = {}
                entry.trust = entry.trust._replace(bounded=True)
            if len(kept) >= 2 * MOST_CONTEXTS:
                # States tell contexts apart as well: at last one stands for all that are still to come.
                names, captured = dict.fromkeys(names, UNKNOWN), dict.fromkeys(captured, UNKNOWN)
                entry = unknown_state()
            key = context_key(names, captured, attributes, entry)
            summary = self._kept(kept, key, call)
        if summary is None:
            summary = kept[key] = self._interpret(function, names, captured, attributes, entry, call)
        self._rest_on(summary)
        return summary

    def _rest_on(self, summary: Summary) -> None:
        self.entered |= summary.entered
        self.lookups.rested |= summary.rested

    def _neutral_summary(
        self, function: Function, kept: dict[Any, Summary], names: dict[str, Value],
        captured: dict[str, Value], call: Call,
    ) -> Summary | None:  # fmt: skip
        """What a call does where nothing is recorded and nothing is open; None beyond all bounds."""
        key = (by_name(names), tuple(captured))
        summary = self._kept(kept, key, call)
        if summary is None and len(kept) >= MANY_CONTEXTS:
            names = {name: widened(value) for name, value in names.items()}
            if len(kept) >= MOST_CONTEXTS:
                names = {name: value if name == "self" else UNKNOWN for name, value in names.items()}
            key = (by_name(names), tuple(captured))
            summary = self._kept(kept, key, call)
        if summary is None and len(kept) < 2 * MOST_CONTEXTS:
            neutral = State()
            neutral.engine = neutral.engine._replace(eager=call.store.state.engine.eager)
            summary = kept[key] = self._interpret(function, names, captured, {}, neutral, call)
        return summary


    def _kept(self, kept: dict[Any, Summary], key: Any, call: Call) -> Summary | None:
        """A summary made before, if it says all that there is to say here."""
        summary = kept.get(key) if self._memo else None
        if summary is None or not (summary.cut_off or summary.least_depth):
            return summary
        if call.frame.depth < summary.least_depth or not summary.cut_off.issubset(self._stack):
            return None
        self._cut_off |= summary.cut_off
        self._too_deep = self._too_deep or summary.least_depth > 0
        return summary

    def _is_worth_entering(
        self, function: Function, names: dict[str, Value], captured: dict[str, Value], call: Call
    ) -> bool:
        """Whether a call may have to do with the engine: by what the function names, or by what it gets.

        Short functions are always entered, for the sake of what they return.
        """
        node = function.node
        self.lookups.rested.add(("relevant", *function.key))
        if function in self._plan.relevant or self.classes.has_optimizer_scope(function) or (node.end_lineno or 0) - node.lineno <= SHORT:
            return True
        if not are_idle(names) or not are_idle(captured) or call.store.state.scopes.open:
            return True
        return not are_idle(self._within_reach(call.store.attributes, names, captured))

    def _within_reach(
        self, attributes: dict[AttributeKey, Value], names: dict[str, Value], captured: dict[str, Value]
    ) -> dict[AttributeKey, Value]:
        """The attributes of objects that a function can get at from what it is given."""
        if not attributes:
            return attributes
        held = {cls for cls, _ in attributes}
        reached: set[Class] = set()
        waiting = [cls for value in (*names.values(), *captured.values()) for cls in classes_in(value)]
        while waiting and not held <= reached:
            cls = waiting.pop()
            if cls not in reached:
                reached.add(cls)
                waiting += self._held_by(cls)
                for (owner, _), value in attributes.items():
                    if owner is cls:
                        waiting += classes_in(value)
        if held <= reached:
            return attributes
        return {key: value for key, value in attributes.items() if key[0] in reached}

    def _held_by(self, cls: Class) -> frozenset[Class]:
        """The classes of which an instance of `cls` holds instances."""
        known = self._holds.get(cls)
        if known is None:
            known = frozenset(c for value in self.classes.attributes(cls).values() for c in classes_in(value))
            if not self.classes.is_tabulating(cls):
                self._holds[cls] = known
        return known

    def _interpret(
        self, function: Function, names: dict[str, Value], captured: dict[str, Value],
        attributes: dict[AttributeKey, Value], entry: State, call: Call,
    ) -> Summary:  # fmt: skip
        self.statistics["contexts"] += 1
        frame = Frame(function.outline, function, call.frame.depth + 1, kept=self.kinds)
        frame.quiet = call.frame.quiet or call.frame.muted
        frame.captured = captured
        frame.shallow = call.frame.shallow
        store = Store(entry)
        store.names = dict(names)
        store.attributes = dict(attributes)
        pending = entry.engine.recorded
        unchanged = entry.copy()
        outer = self._recursions, self.entered, self._cut_off, self._too_deep
        self._recursions, self.entered, self._cut_off, self._too_deep = set(), {function}, set(), False
        outer_rested, self.lookups.rested = self.lookups.rested, set()
        self._stack.append(function)
        try:
            node = function.node
            if isinstance(node, ast.Lambda):
                value = self.evaluate(node.body, frame, store)
                ends = [(store, value, function.site)]
            else:
                after = self.run_block(node.body, frame, store)
                ends = list(frame.exits.returns)
                if after is not None:
                    ends.append((after, NONE, function.site))
        except RecursionError:
            # Whoever catches it goes on with this interpreter, as if the call had never been.
            self._recursions, self.entered, self._cut_off, self._too_deep = outer
            raise
        finally:
            self._stack.pop()
        outer_recursions, outer_entered, outer_cut_off, was_too_deep = outer
        frame.model.settle_collectives([end.state for end, _, _ in ends], function.site)
        exit_store: Store | None = None
        value = NONE
        for number, (end, returned, _) in enumerate(ends):
            exit_store = end.copy() if exit_store is None else join(exit_store, end)
            value = returned if number == 0 else join_values(value, returned)
        if exit_store is not None:
            if not function.yields() and not outlives(value, exit_store, {**captured, **names}, attributes):
                let_die(exit_store.state, pending)
            exit_store.state.obligations = owed_by_few_ways(exit_store.state.obligations)
            exit_store.names = {n: exit_store.names[n] for n in captured if n in exit_store.names}
            if self._recursions == {function} and differs_in_bound_only(exit_store.state, unchanged):
                # What does nothing to the engine but call itself does nothing to the engine.
                exit_store.state.trust = exit_store.state.trust._replace(bounded=unchanged.trust.bounded)
        self._recursions = outer_recursions | (self._recursions - {function})
        entered = frozenset(self.entered)
        self.entered = outer_entered
        rested = frozenset(self.lookups.rested)
        self.lookups.rested = outer_rested | rested
        cut_off = frozenset(self._cut_off - {function})
        self._cut_off = outer_cut_off | cut_off
        least_depth = call.frame.depth if self._too_deep else 0
        self._too_deep = self._too_deep or was_too_deep
        return Summary(
            exit_store, value, told_once(frame.occurrences), carried_once(frame.carried), frame.yields,
            entered, cut_off, least_depth, rested,
        )  # fmt: skip

    def _replay(self, summary: Summary, call: Call) -> Value:
        """Do to the caller what the summary says, with places as the caller sees them."""
        state = call.store.state
        if not call.frame.muted:
            self._tell(summary, call)
        if summary.store is None or summary.did_nothing:
            return summary.value
        left = summary.store
        call.store.state = exit_state(left.state, state, call.site)
        call.store.attributes.update(left.attributes)
        if left.state.loop.cuts:
            call.store.run_all()
        elif left.state.loop.may_cut:
            call.store.maybe_run_all()
        for identity, path in left.moved.items():
            call.store.move_module(identity, (call.site, *path))
        return summary.value

    def _tell(self, summary: Summary, call: Call) -> None:
        """Pass on what happened in a called function, as far as its caller holds what it speaks of."""
        frame, state = call.frame, call.store.state
        if summary.occurrences:
            caller = Caller(call.site, state.scopes.open, state.replicas.splits, state.engine.since)
            frame.occurrences += [
                occurrence._replace(callers=(*occurrence.callers, caller))
                if is_open(occurrence)
                else occurrence
                for occurrence in summary.occurrences
            ]
        for carried in summary.carried:
            obligation = carried.event.obligation  # type: ignore[attr-defined]
            view = seen_from(carried.view, state)
            for mine in state.owes(obligation.owed):
                event = with_obligation(carried.event, mine)
                if mine.inherited:
                    frame.carried.append(Carried(event, view))
                else:
                    frame.occurrences.append(Occurrence(event, view))

    def _give_back(self, function: Function, summary: Summary, call: Call) -> None:
        """What a nested function assigned to names of a function around it, if that is who calls."""
        caller = call.frame.function
        if summary.store is None or function.parent is None or caller is None:
            return
        for name, value in summary.store.names.items():
            if function.parent is caller and name in caller.locals():
                call.store.names[name] = value
            elif function.parent in (caller, caller.parent) and name in call.frame.captured:
                call.frame.captured[name] = call.store.names[name] = value

    def _bound(self, call: Call, what: str) -> None:
        self.reach_bound(what, call.site, call.frame, call.store)

    def reach_bound(self, what: str, site: Site, frame: Frame, store: Store) -> None:
        """The analysis is cut short here: what follows is less sure, and XLA092 may say so."""
        self.statistics["bounds"] += 1
        store.state.trust = store.state.trust._replace(bounded=True)
        frame.emit(BoundReached(site, 0, what), store.state)

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
        self, target: Value, arguments: list[Value], call: Call, *, indexed: bool = True
    ) -> Value:
        """A launched function starts afresh on every replica."""
        aside = Store(State())
        aside.state.replicas = aside.state.replicas._replace(launched=True)
        aside.state.engine = aside.state.engine._replace(eager=call.store.state.engine.eager)
        index = [Value(Kind.ORDINAL, differs=True)] if indexed else []
        inner = Call(call.frame, aside, call.site, None, [*index, *(run(a) for a in arguments)])
        result = self.invoke(target, inner)
        call.frame.model.end(aside.state, call.site)
        return container_of(run(result))

    def escape(self, bound: Bound, call: Call) -> None:
        """A function handed to an unknown callee is judged once there; what it does is dropped."""
        if bound.function in self._stack:
            self._cut_off.add(bound.function)
            return
        aside = call.store.copy()
        aside.state.obligations = frozenset()
        self.enter(bound, Call(call.frame, aside, call.site, None, open_ended=True))
        call.frame.model.settle_steps(aside.state)

    def tabulate(self, method: Function, receiver: Value, store: Store, *, follow: bool) -> None:
        """Run a method for the attributes that it assigns in `store`, and for nothing else."""
        self.lookups.rested.add(("text", *method.key))
        frame = Frame(method.outline, None, 0)
        frame.shallow = not follow
        call = Call(frame, store, method.site, None, open_ended=True)
        names = bind_arguments(self, Bound(method, receiver), call)
        entry = entry_state(store.state, method)
        summary = self._interpret(method, names, {}, store.attributes, entry, call)
        if summary.store is not None:
            store.attributes.update(summary.store.attributes)


def _without_call(occurrence: Occurrence, site: Site) -> Occurrence:
    """A derived event without the call at `site` on the way to what it is about."""
    obligation = getattr(occurrence.event, "obligation", None)
    if obligation is None or obligation.path[0] != site:
        return occurrence
    inner = obligation._replace(path=obligation.path[1:])
    return occurrence._replace(event=replace(occurrence.event, obligation=inner))  # type: ignore[call-arg]


_GIVEN = {
    Given.MODULE: Value(Kind.MODULE, False, payload=Module(None, Place.XLA)),
    Given.BATCH: container_of(BATCH),
    Given.ANYTHING: UNKNOWN,
}
"""What a framework passes: its model is on the device, with outputs of unknown form."""
