"""The interpreter: functions entered through tabulated summaries, classes, modules, globals."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from xlalint.analysis import effects
from xlalint.analysis.call import Call
from xlalint.analysis.frame import Carried, Frame
from xlalint.analysis.outline import Class, Function, Import, Outline
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Known,
    Loader,
    Managed,
    Module,
    Namespace,
    Opening,
    Scoped,
    callable_value,
    constant,
    container,
    container_of,
    run,
    targets,
)
from xlalint.analysis.project import Project
from xlalint.analysis.statements import Statements
from xlalint.analysis.store import AttributeKey, Store, join
from xlalint.analysis.summaries import (
    Summary,
    are_idle,
    classes_in,
    context_key,
    did_nothing,
    differs_in_bound_only,
    entry_state,
    exit_state,
    generated,
    is_open,
    let_die,
    outlives,
    seen_from,
    told_once,
    widened,
    with_obligation,
)
from xlalint.judging import Caller, Occurrence
from xlalint.knowledge import functions
from xlalint.knowledge.frameworks import HOOKS, Hook
from xlalint.lazy.events import BoundReached, Event
from xlalint.lazy.site import Site
from xlalint.lazy.state import Cause, ScopeKind, State
from xlalint.lazy.values import NONE, NOTHING, UNKNOWN, Kind, Place, Value, join_all
from xlalint.lazy.values import join as join_values

Observer = Callable[[ast.stmt, Outline, Store], None]

MANY_CONTEXTS = 4
"""With so many contexts of one function, those that differ in a number or text only are one."""
MOST_CONTEXTS = 32
"""So many contexts of one function are told apart; then its arguments become unknown."""
SHORT = 12
"""Functions of so many lines are entered whatever they have to do with the engine."""
MOST_DEPTH = 24
"""So deep are calls followed."""


class Interpreter(Statements):
    """Interprets functions on demand. One interpreter serves one analysis."""

    def __init__(
        self,
        project: Project,
        kinds: frozenset[type[Event]],
        *,
        other_backends: Iterable[str] = (),
        memo: bool = True,
    ) -> None:
        """Args:
        kinds: The kinds of events that are to be told; they steer nothing.
        other_backends: Names that are false, beside those knowledge lists.
        memo: Whether summaries are kept; without them every call is interpreted anew.
        """
        self.project = project
        self.other_backends = functions.OTHER_BACKENDS | frozenset(other_backends)
        self.statistics = {"functions": 0, "contexts": 0, "passes": 0, "bounds": 0, "unknown calls": 0}
        self.relevant: set[Function] = set()
        """Functions that name something of torch_xla, or one that does."""
        self.entered: set[Function] = set()
        """Functions entered since the caller of `run_root` last asked."""
        self.observer: Observer | None = None
        """Called with each statement, its module and the store before it."""
        self.kinds = kinds
        self._memo = memo
        self._summaries: dict[Function, dict[Any, Summary]] = {}
        self._stack: list[Function] = []
        self._cut_off: set[Function] = set()
        """Functions on the stack that were called once more since the innermost was entered."""
        self._too_deep = False
        """Whether a call was not followed for being too deep since the innermost was entered."""
        self._recursions: set[Function] = set()
        """Functions whose calls, within the present activation, were cut short at a bound."""
        self._tables: dict[Class, dict[str, Value]] = {}
        self._globals: dict[tuple[Outline, str], Value] = {}
        self._bases: dict[Class, list[Class]] = {}
        self._module_classes: dict[Class, str] = {}
        self._constants: dict[tuple[Class, str], Value] = {}
        self._assigning: dict[Function, bool] = {}
        self._tabulating: set[Class] = set()
        self._plain: set[Function] = set()
        """Functions being entered, whose decorators have been seen to."""

    def observe(self, statement: ast.stmt, frame: Frame, store: Store) -> None:
        """Let whoever watches see the store before a statement."""
        if self.observer is not None and not (frame.quiet or frame.muted):
            self.observer(statement, frame.outline, store)

    @property
    def functions_entered(self) -> int:
        """How many functions have been interpreted, in whatever many contexts."""
        return len(self._summaries)

    # Roots --------------------------------------------------------------------------------------

    def run_root(
        self, function: Function, *, eager: bool | None, receiver: Value | None = None
    ) -> list[Occurrence]:
        """Interpret a function nobody calls; returns what happens."""
        frame = Frame(function.outline, None, 0, kept=self.kinds)
        store = Store(State())
        store.state.engine = store.state.engine._replace(eager=eager)
        call = Call(frame, store, function.site, None, open_ended=True)
        bound = Bound(function, receiver)
        target: Value = callable_value(bound)
        if function.parent is not None:
            for kind in self.decorator_scopes(function):
                target = callable_value(Scoped(target, kind))
        if self.optimizer_scope(function):
            target = callable_value(Scoped(target, ScopeKind.OPTIMIZER))
        self.invoke(target, call)
        frame.model.end(store.state, function.site)
        return frame.occurrences

    def hooks_of(self, cls: Class) -> tuple[Hook, ...]:
        """What a framework calls on instances of a class, by the base class it derives from."""
        for base in self.bases(cls)[1:]:
            if base.name in HOOKS:
                return HOOKS[base.name]
        for expression in (e for base in self.bases(cls) for e in base.bases):
            name = expression.attr if isinstance(expression, ast.Attribute) else getattr(expression, "id", "")
            if name in HOOKS:
                return HOOKS[name]
        return ()

    def run_hook(self, method: Function, hook: Hook) -> list[Occurrence]:
        """Interpret a method as a framework calls it: between a batch and the cut that ends the step."""
        assert method.owner is not None
        frame = Frame(method.outline, None, 0, kept=self.kinds)
        store = Store(State())
        store.state.scopes = store.state.scopes._replace(in_loop=True)
        given = {"module": _HOOKED_MODULE, "batch": container_of(effects.BATCH)}
        arguments = [given.get(parameter, UNKNOWN) for parameter in hook.parameters]
        call = Call(frame, store, method.site, None, arguments, open_ended=True)
        self.enter_function(Bound(method, self.instance(method.owner)), call)
        frame.model.cut(store.state, Cause.STEP_END, "", method.site)
        frame.model.settle_steps(store.state)
        # The framework's loop is nowhere in sight: the read itself is where the finding belongs.
        return [_without_call(occurrence, method.site) for occurrence in frame.occurrences]

    def run_module(self, outline: Outline, *, eager: bool | None) -> list[Occurrence]:
        """Interpret a module body in full."""
        frame = Frame(outline, None, 0, kept=self.kinds)
        store = Store(State())
        store.state.engine = store.state.engine._replace(eager=eager)
        # A script starts as one process, unless somebody else started several of it.
        launched = None if "init_process_group" in outline.text else False
        store.state.replicas = store.state.replicas._replace(launched=launched)
        store.names["__name__"] = constant("__main__")
        after = self.run_block(outline.tree.body, frame, store)
        if after is not None and outline.tree.body:
            frame.model.end(after.state, outline.site(outline.tree.body[-1]))
        return frame.occurrences

    def decorator_scopes(self, function: Function) -> list[ScopeKind]:
        """The scopes that a function's decorators open around every call, innermost first."""
        frame = Frame(function.outline, function.parent, 0)
        return self._scopes_of(function.decorators, frame, Store(State()))

    def decorated(self, value: Value, decorators: list[ast.expr], frame: Frame, store: Store) -> Value:
        """What decorators make of a function that is defined in another."""
        for kind in self._scopes_of(decorators, frame, store):
            value = callable_value(Scoped(value, kind))
        return value

    def _scopes_of(self, decorators: list[ast.expr], frame: Frame, store: Store) -> list[ScopeKind]:
        found = []
        for decorator in reversed(decorators):
            value = self.evaluate(decorator, frame, store)
            if value.kind is Kind.SCOPE and isinstance(value.payload, Opening) and value.payload.scope:
                found.append(value.payload.scope)
            elif any(
                isinstance(t, Known) and functions.FUNCTIONS[t.name] == "compile" for t in targets(value)
            ):
                found.append(ScopeKind.COMPILE)
        return found

    # Functions ----------------------------------------------------------------------------------

    def enter_function(self, bound: Bound, call: Call) -> Value:
        """Call a function of the project: by its summary in this context."""
        function = bound.function
        # Those of a function in a function were seen to where it was defined.
        at_definition = function.parent is not None and function.owner is None
        scopes = [] if at_definition else _scopes_of_decorators(self, function)
        if scopes:
            target: Value = callable_value(bound)
            self._plain.add(function)
            try:
                for kind in scopes:
                    target = callable_value(Scoped(target, kind))
                return self.invoke(target, call)
            finally:
                self._plain.discard(function)
        if function.yields() and self._is_context_manager(function):
            names = self._bind_arguments(bound, call)
            self.entered.add(function)
            payload = Managed(bound, tuple(sorted(names.items())), tuple(self._captured(bound, call).items()))
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
            self._bound(call, "recursion" if recursive else "depth of calls")
            return UNKNOWN
        names = self._bind_arguments(bound, call)
        captured = self._captured(bound, call)
        if not self._is_worth_entering(function, names, captured, call):
            return UNKNOWN
        self.entered.add(function)
        summary = self._summary(function, names, captured, call)
        value = self._replay(summary, call)
        self._give_back(function, summary, call)
        if function.yields():
            return Value(Kind.LOADER, payload=generated(summary))
        # A function that never returns ends here for whoever called it, as far as we see.
        return UNKNOWN if summary.store is None else value

    def _is_context_manager(self, function: Function) -> bool:
        for decorator in function.decorators:
            name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
            if name in ("contextmanager", "asynccontextmanager"):
                return True
        return False

    def _captured(self, bound: Bound, call: Call) -> dict[str, Value]:
        own = bound.function.locals()
        captured = {name: value for name, value in bound.captured if name not in own}
        parent = bound.function.parent
        if parent is not None:
            for name in bound.function.free_names():
                if name in captured:
                    continue
                if parent is call.frame.function and name in call.store.names:
                    captured[name] = call.store.names[name]
                elif name in call.frame.captured:
                    captured[name] = call.frame.captured[name]
        return captured

    def _bind_arguments(self, bound: Bound, call: Call) -> dict[str, Value]:
        function = bound.function
        arguments = function.node.args
        positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        annotations = {
            a.arg: a.annotation for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        }
        given = list(call.arguments)
        if bound.receiver is not None and not function.is_static:
            given.insert(0, bound.receiver)
        names = dict(zip(positional, given, strict=False))
        extra = given[len(positional) :]
        others: dict[str, Value] = {}
        for name, value in call.keywords.items():
            (names if name in annotations else others)[name] = value
        defaults = dict(
            zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)
        )
        for keyword_only, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                defaults[keyword_only.arg] = default
        held = dict(bound.captured)
        for name, annotation in annotations.items():
            if name in names:
                continue
            if name in held and not call.open_ended:
                # A default of long ago has run by now, when nothing at all is recorded any more.
                names[name] = run(held[name]) if call.store.state.engine.recorded == NOTHING else held[name]
            elif name in defaults and not call.open_ended:
                names[name] = self.evaluate(defaults[name], Frame(function.outline, None, 0), Store(State()))
            else:
                names[name] = self._annotated_value(annotation, function)
        if arguments.vararg is not None:
            names[arguments.vararg.arg] = container_of(join_all(extra, UNKNOWN)) if extra else UNKNOWN
        if arguments.kwarg is not None:
            known = not call.open_ended
            names[arguments.kwarg.arg] = container([*others.values()], tuple(others)) if known else UNKNOWN
        return names

    def _annotated_value(self, annotation: ast.expr | None, function: Function) -> Value:
        if annotation is None:
            return UNKNOWN
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value, mode="eval").body
            except SyntaxError:
                return UNKNOWN
        if not isinstance(annotation, ast.Name | ast.Attribute):
            return UNKNOWN
        meant = self.evaluate(annotation, Frame(function.outline, None, 0), Store(State()))
        if meant.kind is Kind.CLASS and not isinstance(meant.payload.of[0], str):
            cls = meant.payload.of[0]
            if self.is_module_class(cls):
                return UNKNOWN
            return Value(Kind.INSTANCE, sure=False, payload=meant.payload)
        if any(
            isinstance(t, Known) and functions.FUNCTIONS[t.name] == "device loader" for t in targets(meant)
        ):
            return Value(Kind.LOADER, payload=Loader(effects.BATCH, True, True))
        return UNKNOWN

    def _summary(
        self, function: Function, names: dict[str, Value], captured: dict[str, Value], call: Call
    ) -> Summary:
        kept = self._summaries.setdefault(function, {})
        scopes = call.store.state.scopes.open
        attributes = self._within_reach(call.store.attributes, names, captured)
        if not scopes and are_idle(names) and are_idle(captured) and are_idle(attributes):
            # Nothing of the engine's goes in: unless something happens inside, one context serves all.
            key = (tuple(sorted(names.items(), key=lambda item: item[0])), tuple(captured))
            summary = self._kept(kept, key, call)
            if summary is None:
                neutral = State()
                neutral.engine = neutral.engine._replace(eager=call.store.state.engine.eager)
                summary = kept[key] = self._interpret(function, names, captured, {}, neutral, call)
            if did_nothing(summary):
                self.entered |= summary.entered
                return summary
        entry = entry_state(call.store.state, function)
        key = context_key(names, captured, attributes, entry)
        summary = self._kept(kept, key, call)
        if summary is None:
            if len(kept) >= MANY_CONTEXTS:
                names = {name: widened(value) for name, value in names.items()}
                captured = {name: widened(value) for name, value in captured.items()}
            if len(kept) >= MOST_CONTEXTS:
                self._bound(call, "contexts of one function")
                names = {name: value if name == "self" else UNKNOWN for name, value in names.items()}
                captured = {
                    name: value if value.kind is Kind.CALLABLE else UNKNOWN
                    for name, value in captured.items()
                }
                attributes = {}
                entry.trust = entry.trust._replace(bounded=True)
            if len(kept) >= MANY_CONTEXTS:
                key = context_key(names, captured, attributes, entry)
                summary = self._kept(kept, key, call)
        if summary is None:
            summary = kept[key] = self._interpret(function, names, captured, attributes, entry, call)
        self.entered |= summary.entered
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
        if function in self.relevant or (node.end_lineno or 0) - node.lineno <= SHORT:
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
        stack = [*names.values(), *captured.values()]
        while stack and len(reached) < len(held):
            for cls in classes_in(stack.pop()):
                if cls in reached:
                    continue
                reached.add(cls)
                stack += [value for (owner, _), value in attributes.items() if owner is cls]
                stack += self.attribute_table(cls).values()
        if held <= reached:
            return attributes
        return {key: value for key, value in attributes.items() if key[0] in reached}

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
        outer_recursions, self._recursions = self._recursions, set()
        outer_entered, self.entered = self.entered, {function}
        outer_cut_off, self._cut_off = self._cut_off, set()
        was_too_deep, self._too_deep = self._too_deep, False
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
        finally:
            self._stack.pop()
        frame.model.settle_collectives([end.state for end, _, _ in ends], function.site)
        exit_store: Store | None = None
        value = NONE
        for number, (end, returned, _) in enumerate(ends):
            exit_store = end.copy() if exit_store is None else join(exit_store, end)
            value = returned if number == 0 else join_values(value, returned)
        if exit_store is not None:
            if not function.yields() and not outlives(value, exit_store, {**captured, **names}, attributes):
                let_die(exit_store.state, pending)
            exit_store.names = {n: exit_store.names[n] for n in captured if n in exit_store.names}
            if self._recursions == {function} and differs_in_bound_only(exit_store.state, unchanged):
                # What does nothing to the engine but call itself does nothing to the engine.
                exit_store.state.trust = exit_store.state.trust._replace(bounded=unchanged.trust.bounded)
        self._recursions = outer_recursions | (self._recursions - {function})
        entered = frozenset(self.entered)
        self.entered = outer_entered
        cut_off = frozenset(self._cut_off - {function})
        self._cut_off = outer_cut_off | cut_off
        least_depth = call.frame.depth if self._too_deep else 0
        self._too_deep = self._too_deep or was_too_deep
        return Summary(
            exit_store, value, told_once(frame.occurrences), tuple(frame.carried), frame.yields, entered,
            cut_off, least_depth,
        )  # fmt: skip

    def _replay(self, summary: Summary, call: Call) -> Value:
        """Do to the caller what the summary says, with places as the caller sees them."""
        state = call.store.state
        if not call.frame.muted:
            self._tell(summary, call)
        if summary.store is None or did_nothing(summary):
            return summary.value
        left = summary.store
        call.store.state = exit_state(left.state, state, call.site)
        call.store.attributes.update(left.attributes)
        if left.state.loop.cuts:
            call.store.run_all()
        for identity, path in left.moved.items():
            call.store.move_module(identity, (call.site, *path))
        return summary.value

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

    def enter_escaped(self, bound: Bound, call: Call) -> None:
        """A function handed to an unknown callee is judged once there; what it does is dropped."""
        if bound.function in self._stack:
            self._cut_off.add(bound.function)
            return
        aside = call.store.copy()
        aside.state.obligations = frozenset()
        self.enter_function(bound, Call(call.frame, aside, call.site, None, open_ended=True))
        call.frame.model.settle_steps(aside.state)

    def call_unknown(self, call: Call) -> Value:
        """Count, then treat as unknown."""
        self.statistics["unknown calls"] += 1
        return super().call_unknown(call)

    # Classes ------------------------------------------------------------------------------------

    def bases(self, cls: Class) -> list[Class]:
        """The class and those of its bases that the project defines, in lookup order."""
        known = self._bases.get(cls)
        if known is None:
            self._bases[cls] = known = [cls]
            for expression in cls.bases:
                for base in self._base_classes(cls, expression):
                    known += [b for b in self.bases(base) if b not in known]
        return known

    def _base_classes(self, cls: Class, expression: ast.expr) -> list[Class]:
        value = self.evaluate(expression, Frame(cls.outline, None, 0), Store(State()))
        if value.kind is not Kind.CLASS:
            return []
        return [c for c in value.payload.of if not isinstance(c, str)]

    def _root_kind(self, cls: Class) -> str:
        known = self._module_classes.get(cls)
        if known is None:
            self._module_classes[cls] = known = ""
            for base in self.bases(cls):
                for expression in base.bases:
                    value = self.evaluate(expression, Frame(base.outline, None, 0), Store(State()))
                    name = (
                        value.payload.name
                        if value.kind is Kind.NAMESPACE and value.payload.outline is None
                        else ""
                    )
                    name = name or next((t.name for t in targets(value) if isinstance(t, Known)), "")
                    if name.startswith(("torch.nn.", "pytorch_lightning.LightningModule", "lightning.")):
                        known = "module"
                    elif name.startswith("torch.optim.") and "lr_scheduler" not in name:
                        known = "optimizer"
                    elif name.endswith(".GradScaler"):
                        known = "scaler"
            self._module_classes[cls] = known
        return known

    def is_module_class(self, cls: Class) -> bool:
        """Whether instances of the class are `nn.Module`s."""
        return self._root_kind(cls) == "module"

    def is_optimizer_class(self, cls: Class) -> bool:
        """Whether instances of the class are optimizers."""
        return self._root_kind(cls) == "optimizer"

    def is_scaler_class(self, cls: Class) -> bool:
        """Whether instances of the class are gradient scalers."""
        return self._root_kind(cls) == "scaler"

    def optimizer_scope(self, function: Function) -> bool:
        """Whether a function is a method of an optimizer or scaler class."""
        cls = function.owner
        return (
            cls is not None
            and self._root_kind(cls) in ("optimizer", "scaler")
            and not _makes_cuda_tensors(cls)
        )

    def class_constant(self, cls: Class, name: str) -> Value:
        """The value of a name assigned in a class body."""
        key = (cls, name)
        if key not in self._constants:
            self._constants[key] = UNKNOWN
            frame = Frame(cls.outline, None, 0)
            self._constants[key] = self.evaluate(cls.constants[name], frame, Store(State()))
        return self._constants[key]

    def attribute_table(self, cls: Class) -> dict[str, Value]:
        """What instances of the class hold after `__init__`, and after other methods the rest."""
        known = self._tables.get(cls)
        if known is not None:
            return known
        table: dict[str, Value] = {}
        self._tables[cls] = table
        self._tabulating.add(cls)
        receiver = self.instance(cls)
        init = self.find_method(cls, "__init__")
        methods = [init] if init is not None else []
        for base in self.bases(cls):
            methods += [m for m in base.methods.values() if m.name != "__init__" and self._assigns(m)]
        for method in methods:
            if method in self._stack or len(self._stack) > MOST_DEPTH:
                continue
            frame = Frame(method.outline, None, len(self._stack))
            store = Store(State())
            for attribute, value in table.items():
                store.attributes[cls, attribute] = value
            before = self.entered
            self.entered = set()
            frame.shallow = method is not init
            self._enter_quietly(method, receiver, Call(frame, store, method.site, None, open_ended=True))
            self.entered = before
            for (owner, attribute), value in store.attributes.items():
                if owner is cls and (attribute not in table or method is init):
                    table[attribute] = run(value)
        self._tabulating.discard(cls)
        return table

    def is_tabulating(self, cls: Class) -> bool:
        """Whether the attribute table of a class is just being made."""
        return cls in self._tabulating

    def _assigns(self, method: Function) -> bool:
        known = self._assigning.get(method)
        if known is None:
            known = self._assigning[method] = _assigns(method)
        return known

    def _enter_quietly(self, method: Function, receiver: Value, call: Call) -> None:
        names = self._bind_arguments(Bound(method, receiver), call)
        summary = self._interpret(
            method, names, {}, call.store.attributes, entry_state(call.store.state, method), call
        )
        if summary.store is not None:
            call.store.attributes.update(summary.store.attributes)

    def instance(self, cls: Class) -> Value:
        """An instance of a class of the project, of which nothing else is known."""
        if self.is_module_class(cls):
            return Value(Kind.MODULE, payload=Module(None, Place.UNKNOWN, cls))
        return Value(Kind.INSTANCE, payload=Classes((cls,)))

    # Modules and their names --------------------------------------------------------------------

    def global_value(self, outline: Outline, name: str) -> Value:
        """The value of a name that a module defines, wherever it does so."""
        key = (outline, name)
        known = self._globals.get(key)
        if known is None:
            self._globals[key] = UNKNOWN
            known = self._globals[key] = self._find_global(outline, name)
        return known

    def _find_global(self, outline: Outline, name: str) -> Value:
        joined: Value | None = None
        bindings = outline.bindings.get(name, [])
        libraries = [b for b in bindings if isinstance(b, Import) and b.target.startswith("torch")]
        for binding in libraries or bindings:
            if isinstance(binding, Import):
                value = self.qualified(binding.target, outline)
            elif isinstance(binding, Function):
                value = callable_value(Bound(binding))
            elif isinstance(binding, Class):
                value = Value(Kind.CLASS, payload=Classes((binding,)))
            else:
                value = self.evaluate(binding, Frame(outline, None, 0), Store(State()))
            joined = value if joined is None else join_values(joined, value)
        if joined is None:
            for source in outline.star_imports:
                module = self.project.find(source, outline)
                if module is not None and name in module.bindings:
                    return self.global_value(module, name)
            return UNKNOWN
        return run(joined)

    def qualified(self, name: str, outline: Outline) -> Value:
        """What a dotted name, as an import in `outline` spells it, means."""
        if name.startswith("torch") and name.partition(".")[0] in ("torch", "torch_xla", "torch_xla_py"):
            return self.library(name)
        module = self.project.find(name, outline)
        if module is not None:
            return Value(Kind.NAMESPACE, payload=Namespace(module.name, module))
        parent, _, last = name.rpartition(".")
        if parent:
            inner = self.project.find(parent, outline)
            if inner is not None and inner is not outline:
                return self.global_name(last, inner)
        return self.library(name)


def _without_call(occurrence: Occurrence, site: Site) -> Occurrence:
    """A derived event without the call at `site` on the way to what it is about."""
    obligation = getattr(occurrence.event, "obligation", None)
    if obligation is None or obligation.path[0] != site:
        return occurrence
    inner = obligation._replace(path=obligation.path[1:])
    return occurrence._replace(event=replace(occurrence.event, obligation=inner))  # type: ignore[call-arg]


def _makes_cuda_tensors(cls: Class) -> bool:
    """Whether a method of the class makes tensors that can only live on a GPU: it runs nowhere else."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr.endswith("Tensor")
        and isinstance(node.func.value, ast.Attribute)
        and node.func.value.attr == "cuda"
        for method in cls.methods.values()
        for node in ast.walk(method.node)
    )


def _scopes_of_decorators(interpreter: Interpreter, function: Function) -> list[ScopeKind]:
    if not function.decorators or function in interpreter._plain:
        return []
    return interpreter.decorator_scopes(function)


def _assigns(function: Function) -> bool:
    """Whether a method assigns an attribute of its first argument, judged by its text."""
    node = function.node
    if not node.args.args or isinstance(node, ast.Lambda) or function.is_static:
        return False
    lines = function.outline.lines[node.lineno - 1 : node.end_lineno]
    pattern = _ASSIGNMENT.replace("self", re.escape(node.args.args[0].arg))
    return re.search(pattern, "\n".join(lines)) is not None


_ASSIGNMENT = r"(?m)^(?:[ \t]*[\w.]+ *= *)?[^=\n(]*\bself\.\w+[^=\n(]*=(?!=)"


_HOOKED_MODULE = Value(Kind.MODULE, False, payload=Module(None, Place.XLA))
"""The model that a framework trains: on the device, its outputs of unknown form."""
