"""Statements: branches, loops and scopes, and every way of leaving them."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from xlalint.analysis import effects
from xlalint.analysis.call import Call, spelling
from xlalint.analysis.calls import Calls
from xlalint.analysis.frame import Exits, Frame
from xlalint.analysis.payloads import (
    PERHAPS_STEP,
    Bound,
    Classes,
    Loader,
    Managed,
    Opening,
    RankTest,
    callable_value,
    container_of,
    run,
    targets,
)
from xlalint.analysis.store import Store, join
from xlalint.knowledge import functions
from xlalint.lazy.events import Reading
from xlalint.lazy.site import Site
from xlalint.lazy.state import NOTHING_DONE, Cause, Loop, Obligation, Scope, Split, join_loops, places
from xlalint.lazy.values import HOST, NONE, NOTHING, UNKNOWN, Kind, Value
from xlalint.lazy.values import join as join_values

MOST_PASSES = 4
"""So many times a loop body is interpreted before what it assigns becomes unknown."""

Execute = Callable[..., "Store | None"]


class Condition(NamedTuple):
    """What is known of a test: its truth, and how it parts the replicas."""

    truth: bool | None = None
    when_true: Split | None = None
    when_false: Split | None = None


class Statements(Calls):
    """Executes statements. A store is changed in place; None means that control does not go on."""

    statistics: dict[str, int]

    def run_block(self, body: list[ast.stmt], frame: Frame, store: Store) -> Store | None:
        """Execute statements one after the other."""
        current: Store | None = store
        for statement in body:
            if current is None:
                return None
            self.observe(statement, frame, current)
            execute = _STATEMENTS.get(type(statement))
            if execute is not None:
                current = execute(self, statement, frame, current)
        return current

    def observe(self, statement: ast.stmt, frame: Frame, store: Store) -> None:
        """Called with the store before each statement; for whoever wants to look."""

    # Simple statements --------------------------------------------------------------------------

    def _expression(self, node: ast.Expr, frame: Frame, store: Store) -> Store | None:
        self.evaluate(node.value, frame, store)
        return None if self._never_returns(node.value, frame, store) else store

    def _never_returns(self, node: ast.expr, frame: Frame, store: Store) -> bool:
        if not isinstance(node, ast.Call):
            return False
        function = node.func
        if isinstance(function, ast.Name):
            return function.id in ("exit", "quit")
        return (
            isinstance(function, ast.Attribute)
            and function.attr in ("exit", "_exit")
            and isinstance(function.value, ast.Name)
            and function.value.id in ("sys", "os")
        )

    def _assign(self, node: ast.Assign, frame: Frame, store: Store) -> Store | None:
        value = self.evaluate(node.value, frame, store)
        for target in node.targets:
            self.bind(target, value, frame, store)
        return store

    def _annotated(self, node: ast.AnnAssign, frame: Frame, store: Store) -> Store | None:
        if node.value is not None:
            self.bind(node.target, self.evaluate(node.value, frame, store), frame, store)
        return store

    def _augmented(self, node: ast.AugAssign, frame: Frame, store: Store) -> Store | None:
        left = self.evaluate(node.target, frame, store)
        right = self.evaluate(node.value, frame, store)
        if left.kind is Kind.CONTAINER and isinstance(node.op, ast.Add):
            element = self.element(right)
            joined = (
                container_of(element) if left.payload.items == () else container_of(_joined(left, element))
            )
            self.bind(node.target, joined, frame, store)
            return store
        self.bind(node.target, self.binary(node, node.op, left, right, frame, store), frame, store)
        return store

    def _define_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame, store: Store
    ) -> Store | None:
        function = frame.outline.functions[node]
        defaults = self.defaults(function, frame, store)
        value = callable_value(Bound(function, None, self.capture(function, frame, store) + defaults))
        store.names[node.name] = self.decorated(value, node.decorator_list, frame, store)
        return store

    @abstractmethod
    def decorated(self, value: Value, decorators: list[ast.expr], frame: Frame, store: Store) -> Value:
        """What decorators make of a function."""

    @abstractmethod
    def reach_bound(self, what: str, site: Site, frame: Frame, store: Store) -> None:
        """The analysis is cut short at a bound."""

    def _define_class(self, node: ast.ClassDef, frame: Frame, store: Store) -> Store | None:
        store.names[node.name] = Value(Kind.CLASS, payload=Classes((frame.outline.classes[node],)))
        return store

    def _import(self, node: ast.Import | ast.ImportFrom, frame: Frame, store: Store) -> Store | None:
        if frame.function is None:
            return store
        for name, target in frame.outline.imports(node):
            store.names[name] = self.qualified(target, frame.outline)
        return store

    def _return(self, node: ast.Return, frame: Frame, store: Store) -> Store | None:
        value = NONE if node.value is None else self.evaluate(node.value, frame, store)
        frame.exits.returns.append((store, value, frame.site(node)))
        return None

    def _raise(self, node: ast.Raise, frame: Frame, store: Store) -> Store | None:
        if node.exc is not None:
            self.evaluate(node.exc, frame, store)
        frame.exits.raises.append((store, frame.site(node)))
        return None

    def _break(self, node: ast.Break, frame: Frame, store: Store) -> Store | None:
        frame.exits.breaks.append((store, frame.site(node)))
        return None

    def _continue(self, node: ast.Continue, frame: Frame, store: Store) -> Store | None:
        frame.exits.continues.append(store)
        return None

    def _delete(self, node: ast.Delete, frame: Frame, store: Store) -> Store | None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                store.names.pop(target.id, None)
        return store

    def _assert(self, node: ast.Assert, frame: Frame, store: Store) -> Store | None:
        self.condition(node.test, "assert", frame, store)
        return store

    # Branches -----------------------------------------------------------------------------------

    def condition(self, node: ast.expr, keyword: str, frame: Frame, store: Store) -> Condition:
        """Evaluate the test of an `if`, `while` or `assert`; a device value is read by it."""
        value = self.evaluate_test(node, frame, store)
        site = frame.site(node)
        if value.kind is Kind.RANK_TEST:
            test: RankTest = value.payload
            return Condition(
                None,
                Split(site, True, test.certain, test.master),
                Split(site, False, test.certain_else, not test.master),
            )
        if value.kind is Kind.ORDINAL:
            # `if rank:` keeps the master out.
            return Condition(None, Split(site, True, value.sure, False), Split(site, False, value.sure, True))
        known = self.truth(value)
        if known is None and value.kind is Kind.TENSOR:
            shown = f"{keyword} {spelling(node, frame.outline.text)}".strip()
            self.read(value, Reading.BOOL, shown, site, frame, store)
        if known is None and value.differs and value.kind in (Kind.TENSOR, Kind.HOST):
            return Condition(None, Split(site, True, False, False), Split(site, False, False, False))
        return Condition(known)

    def _if(self, node: ast.If, frame: Frame, store: Store) -> Store | None:
        condition = self.condition(node.test, "if", frame, store)
        if condition.truth is not None:
            return self.run_block(node.body if condition.truth else node.orelse, frame, store)
        if condition.when_true is not None and condition.when_false is not None:
            return self._parted(node, condition.when_true, condition.when_false, frame, store)
        other = store.copy()
        owed = store.state.obligations
        yes = self.run_block(node.body, frame, store)
        no = self.run_block(node.orelse, frame, other)
        return _agreed(owed, yes, no, join(yes, no))

    def _parted(
        self, node: ast.If, when_true: Split, when_false: Split, frame: Frame, store: Store
    ) -> Store | None:
        """A test that parts the replicas: both arms run at the same time, on different replicas."""
        before = store.state
        other = store.copy()
        store.state = frame.model.part(before, when_true)
        other.state = frame.model.part(before, when_false)
        yes = self.run_block(node.body, frame, store)
        no = self.run_block(node.orelse, frame, other)
        joined = join(yes, no)
        if yes is not None and no is not None and joined is not None:
            _agreed(before.obligations, yes, no, joined)
            joined.state = frame.model.meet(before, [(when_true, yes.state), (when_false, no.state)])
        return joined

    def _match(self, node: ast.Match, frame: Frame, store: Store) -> Store | None:
        subject = self.evaluate(node.subject, frame, store)
        result: Store | None = None
        for case in node.cases:
            arm = store.copy()
            whole = _whole(case.pattern)
            for name in _pattern_names(case.pattern):
                self.bind_name(name, subject if name == whole else UNKNOWN, frame, arm)
            if case.guard is not None:
                self.condition(case.guard, "if", frame, arm)
                # The next case is tried after this one's guard has been asked, or not.
                store = join(store, arm.copy()) or store
            result = join(result, self.run_block(case.body, frame, arm))
            if case.guard is None and _always_matches(case.pattern):
                return result
        return join(result, store)

    # Loops --------------------------------------------------------------------------------------

    def _for(self, node: ast.For | ast.AsyncFor, frame: Frame, store: Store) -> Store | None:
        over = self.evaluate(node.iter, frame, store)
        loader = over.payload if over.kind is Kind.LOADER else Loader(self.element(over))
        bounded = store.state.trust.bounded
        if over.kind is Kind.UNKNOWN and self._awaits_loader(node, frame, store):
            store.state.trust = store.state.trust._replace(bounded=True)
            over = Value(
                Kind.LOADER, False, payload=Loader(Value(Kind.TENSOR, False, differs=True), True, True)
            )
            loader = over.payload
        if over.kind is Kind.TENSOR:
            loader = Loader(over)
        literal = over.kind is Kind.PARAMETERS or (
            over.kind is Kind.CONTAINER and (bool(over.payload.items) or _of_parameters(over.payload.element))
        )

        def advance(current: Store) -> None:
            self._advance(loader, node, frame, current)
            self.bind(node.target, loader.element, frame, current)

        def exhaust(current: Store) -> None:
            if loader.cuts_at_end and loader.cuts is not False:
                self._cut_by_loader(loader.cuts, node, frame, current)

        after = self._loop(node, over, advance, exhaust, frame, store, runs_at_least_once=literal)
        if after is not None and not bounded and not over.sure and over.kind is Kind.LOADER:
            after.state.trust = after.state.trust._replace(bounded=False)
        return after

    def _awaits_loader(self, node: ast.For | ast.AsyncFor, frame: Frame, store: Store) -> bool:
        """Whether a loop over something unknown can only mean an XLA loader: it steps an optimizer
        without a barrier, or adds closures, and nothing in it cuts."""
        needs_a_cut = False
        for inner in ast.walk(node):
            if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute):
                continue
            if inner.func.attr in _CUTS or any(k.arg == "barrier" for k in inner.keywords):
                return False
            if inner.func.attr in _NEEDS_A_CUT and isinstance(inner.func.value, ast.Name):
                module = self.evaluate(inner.func.value, frame, store)
                needs_a_cut |= module.kind is Kind.NAMESPACE and module.payload.name == functions.XM
        return needs_a_cut

    def _advance(self, loader: Loader, node: ast.AST, frame: Frame, store: Store) -> None:
        if loader.cuts is False:
            return
        if store.state.engine.skip_cut:
            store.state.engine = store.state.engine._replace(skip_cut=False)
            return
        self._cut_by_loader(loader.cuts, node, frame, store)

    def _cut_by_loader(self, cuts: bool | None, node: ast.AST, frame: Frame, store: Store) -> None:
        assert isinstance(node, ast.For | ast.AsyncFor)
        frame.model.cut(
            store.state,
            Cause.LOADER,
            spelling(node.iter, frame.outline.text),
            frame.site(node.iter),
            sure=cuts is True,
        )
        store.run_all() if cuts else store.maybe_run_all()

    def _while(self, node: ast.While, frame: Frame, store: Store) -> Store | None:
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

        def test(current: Store) -> None:
            self.condition(node.test, "while", frame, current)

        return self._loop(node, None, test, test, frame, store, endless=endless)

    def _loop(
        self, node: ast.For | ast.AsyncFor | ast.While, over: Value | None,
        advance: Callable[[Store], None], exhaust: Callable[[Store], None], frame: Frame, store: Store, *,
        endless: bool = False, runs_at_least_once: bool = False,
    ) -> Store | None:  # fmt: skip
        """Run a loop to its fixpoint; every pass stands for real iterations."""
        outer_exits = frame.exits
        state = store.state
        outside, was_in_loop, outer_since = state.loop, state.scopes.in_loop, state.engine.since
        state.loop = NOTHING_DONE
        state.scopes = state.scopes._replace(in_loop=True)
        state.engine = state.engine._replace(since=())

        def once(start: Store) -> tuple[Store | None, Exits]:
            self.statistics["passes"] += 1
            frame.exits = left = Exits()
            current = start.copy()
            advance(current)
            after = self.run_block(node.body, frame, current)
            for continued in left.continues:
                after = join(after, continued)
            return after, left

        head = store
        back, exits = once(store)
        if back is not None and not was_in_loop:
            # The second iteration, too, is looked at by itself: what the first leaves, it surely meets.
            again, _ = once(back)
            head = join(head, back) or head
            back = join(back, again)
        for number in range(MOST_PASSES):
            grown = join(head, back)
            if back is None or grown is None or grown == head:
                break
            head = grown
            if number == MOST_PASSES - 1:
                _forget(head, back, store)
                self.reach_bound("passes of a loop", frame.site(node), frame, head)
            back, exits = once(head)
        frame.exits = outer_exits
        if endless and back is not None and not was_in_loop:
            frame.model.settle_steps(back.state)
        cuts = back is not None and back.state.loop.cuts
        after: Store | None = None
        if not endless:
            after = back.copy() if runs_at_least_once and back is not None else head.copy()
            exhaust(after)
            if back is not None:
                after.state.loop = join_loops(after.state.loop, back.state.loop)
            self._end_loop(node, over, back, outside, was_in_loop, outer_since, frame, after)
            after = self.run_block(node.orelse, frame, after) if node.orelse else after
        over_cuts = (
            over is not None and over.kind is Kind.LOADER and over.sure and over.payload.cuts is not False
        )
        for broken, site in exits.breaks:
            if cuts or over_cuts:
                frame.model.leave_loop(broken.state, "break", site)
            self._end_loop(node, over, back, outside, was_in_loop, outer_since, frame, broken, judged=endless)
            after = join(after, broken)
        for returned, value, site in exits.returns:
            if cuts or over_cuts:
                frame.model.leave_loop(returned.state, "return", site)
            returned.state.scopes = returned.state.scopes._replace(in_loop=was_in_loop)
            outer_exits.returns.append((returned, value, site))
        for raised, site in exits.raises:
            if cuts or over_cuts:
                frame.model.leave_loop(raised.state, "raise", site)
            raised.state.scopes = raised.state.scopes._replace(in_loop=was_in_loop)
            outer_exits.raises.append((raised, site))
        return after

    def _end_loop(
        self, node: ast.For | ast.AsyncFor | ast.While, over: Value | None, back: Store | None,
        outside: Loop, was_in_loop: bool, outer_since: tuple[Site, ...], frame: Frame,
        store: Store, *, judged: bool = True,
    ) -> None:  # fmt: skip
        state = store.state
        state.scopes = state.scopes._replace(in_loop=was_in_loop)
        since = back.state.engine.since if back is not None else ()
        recorded = back.state.engine.recorded if back is not None else NOTHING
        frame.model.end_loop(
            state, outside, over, recorded, frame.site(node), since=since, told=judged and back is not None
        )
        engine = state.engine
        since = places(outer_since, engine.since) if engine.recorded != NOTHING else ()
        state.engine = engine._replace(since=since)

    # Scopes and exceptions ----------------------------------------------------------------------

    def _with(self, node: ast.With | ast.AsyncWith, frame: Frame, store: Store) -> Store | None:
        return self._with_items(node, list(node.items), frame, store)

    def _with_items(
        self, node: ast.With | ast.AsyncWith, items: list[ast.withitem], frame: Frame, store: Store
    ) -> Store | None:
        if not items:
            return self.run_block(node.body, frame, store)
        item, rest = items[0], items[1:]
        value = self.evaluate(item.context_expr, frame, store)
        opening = value.payload if value.kind is Kind.SCOPE and isinstance(value.payload, Opening) else None
        if item.optional_vars is not None:
            stack = opening is not None and opening.effect == effects.STACK
            bound = value if opening is None or stack else UNKNOWN
            self.bind(item.optional_vars, bound if value.kind is not Kind.CALLABLE else UNKNOWN, frame, store)
        if _expects_error(item.context_expr):
            # What goes wrong inside is what the program wants to see.
            muted, frame.muted = frame.muted, True
            after = self._with_items(node, rest, frame, store)
            frame.muted = muted
            return after
        if value.kind is Kind.SCOPE and isinstance(value.payload, Managed):
            return self._managed(value.payload, node, rest, frame, store)
        if value.kind is Kind.INSTANCE:
            return self._with_instance(value, item, node, rest, frame, store)
        if opening is not None and opening.effect == effects.STACK:
            return self._with_stack(opening, node, rest, frame, store)
        if opening is not None and opening.effect == PERHAPS_STEP:
            self._perhaps_cut(opening, node, frame, store)
            return self._guarded(
                lambda: self._with_items(node, rest, frame, store),
                lambda current: self._perhaps_cut(opening, node, frame, current),
                frame,
            )
        if opening is None or opening.scope is None:
            return self._with_items(node, rest, frame, store)
        scope = Scope(opening.scope, frame.site(item.context_expr))

        def leave(current: Store) -> Store:
            self.leave_scope(scope, opening.spelling, frame, current)
            return current

        self.enter_scope(scope, opening.spelling, frame, store)
        return self._guarded(lambda: self._with_items(node, rest, frame, store), leave, frame)

    def _perhaps_cut(
        self, opening: Opening, node: ast.With | ast.AsyncWith, frame: Frame, store: Store
    ) -> Store:
        site = frame.site(node.items[0].context_expr)
        frame.model.cut(store.state, Cause.SCOPE_EXIT, opening.spelling, site, sure=False)
        store.maybe_run_all()
        return store

    def _with_stack(
        self, opening: Opening, node: ast.With | ast.AsyncWith, rest: list[ast.withitem],
        frame: Frame, store: Store,
    ) -> Store | None:  # fmt: skip
        """An `ExitStack`: what is entered through it is left with it, the last first."""
        before = len(store.state.scopes.open)

        opened_step = store.state.loop.own.opens_step

        def leave(current: Store) -> Store:
            scopes = current.state.scopes.open[before:]
            for scope in reversed(scopes):
                self.leave_scope(scope, opening.spelling, frame, current)
            if not scopes and current.state.loop.own.opens_step and not opened_step:
                self._perhaps_cut(opening, node, frame, current)
            return current

        return self._guarded(lambda: self._with_items(node, rest, frame, store), leave, frame)

    def _with_instance(
        self, manager: Value, item: ast.withitem, node: ast.With | ast.AsyncWith, rest: list[ast.withitem],
        frame: Frame, store: Store,
    ) -> Store | None:  # fmt: skip
        """An object of the project whose class says what happens at the entry and at the exit."""
        names = ("__aenter__", "__aexit__") if isinstance(node, ast.AsyncWith) else ("__enter__", "__exit__")
        enter, leave = (self.attribute(manager, name, None, frame, store) for name in names)
        if not all(any(isinstance(t, Bound) for t in targets(method)) for method in (enter, leave)):
            return self._with_items(node, rest, frame, store)
        site = frame.site(item.context_expr)
        entered = self.invoke(enter, Call(frame, store, site, None))
        if item.optional_vars is not None:
            self.bind(item.optional_vars, entered, frame, store)

        def exit_(current: Store) -> Store:
            self.invoke(leave, Call(frame, current, site, None, [HOST, HOST, HOST]))
            return current

        return self._guarded(lambda: self._with_items(node, rest, frame, store), exit_, frame)

    def _managed(
        self,
        manager: Managed,
        node: ast.With | ast.AsyncWith,
        rest: list[ast.withitem],
        frame: Frame,
        store: Store,
    ) -> Store | None:
        """A context manager of the project: its generator runs around the body of the `with`."""
        function = manager.bound.function
        assert not isinstance(function.node, ast.Lambda)
        inner = Frame(function.outline, function, frame.depth + 1, kept=frame.kept)
        inner.captured = dict(manager.captured)
        held = Store(store.state)
        held.names, held.attributes = dict(manager.names), store.attributes
        left: list[Store | None] = []

        def resume(current: Store) -> Store | None:
            store.state, store.attributes = current.state, current.attributes
            left.append(self._with_items(node, rest, frame, store))
            return left[-1]

        inner.resume = resume
        after = self.run_block(function.node.body, inner, held)
        for returned, _, _ in inner.exits.returns:
            after = join(after, returned)
        frame.take(inner)
        if not left:
            return self._with_items(node, rest, frame, store)
        if left[-1] is None or after is None:
            return left[-1]
        left[-1].state, left[-1].attributes = after.state, after.attributes
        if after.state.engine.recorded == NOTHING:
            left[-1].run_all()
        return left[-1]

    def _guarded(
        self, body: Callable[[], Store | None], leave: Callable[[Store], Store | None], frame: Frame
    ) -> Store | None:
        """Run `body`, and `leave` on every way out of it."""
        outer = frame.exits
        frame.exits = inner = Exits()
        after = body()
        frame.exits = outer
        after = leave(after) if after is not None else None
        for store, site in inner.breaks:
            if (left := leave(store)) is not None:
                outer.breaks.append((left, site))
        for store in inner.continues:
            if (left := leave(store)) is not None:
                outer.continues.append(left)
        for store, value, site in inner.returns:
            if (left := leave(store)) is not None:
                outer.returns.append((left, _run_value(value, left), site))
        for store, site in inner.raises:
            if (left := leave(store)) is not None:
                outer.raises.append((left, site))
        return after

    def _try(self, node: ast.Try, frame: Frame, store: Store) -> Store | None:
        if not node.finalbody:
            return self._try_handlers(node, frame, store)

        def leave(current: Store) -> Store | None:
            return self.run_block(node.finalbody, frame, current)

        return self._guarded(lambda: self._try_handlers(node, frame, store), leave, frame)

    def _try_handlers(self, node: ast.Try, frame: Frame, store: Store) -> Store | None:
        if not node.handlers:
            after = self.run_block(node.body, frame, store)
            return self.run_block(node.orelse, frame, after) if after is not None else None
        before = store.copy()
        outer = frame.exits
        frame.exits = inner = Exits()
        after = self.run_block(node.body, frame, store)
        frame.exits = outer
        outer.breaks += inner.breaks
        outer.continues += inner.continues
        outer.returns += inner.returns
        failed = join(before, after.copy() if after is not None else None)
        for raised, _ in inner.raises:
            failed = join(failed, raised)
        if after is not None:
            after = self.run_block(node.orelse, frame, after)
        if _only_imports(node):
            return after
        assert failed is not None
        for handler in node.handlers:
            caught = failed.copy()
            if handler.name:
                caught.names[handler.name] = HOST
            after = join(after, self.run_block(handler.body, frame, caught))
        return after


_NEEDS_A_CUT = frozenset({"optimizer_step", "add_step_closure"})
_CUTS = frozenset({"mark_step", "sync", "step", "compile"})


def _agreed(
    owed: frozenset[Obligation], yes: Store | None, no: Store | None, joined: Store | None
) -> Store | None:
    """Drop what was owed before a branch and one arm has settled: it may be settled, so silence."""
    if yes is not None and no is not None and joined is not None:
        settled = (owed - yes.state.obligations) | (owed - no.state.obligations)
        for arm in (yes, no, joined):
            arm.state.obligations -= {o for o in settled if o.terms.settled_by_one_arm}
    return joined


def _expects_error(node: ast.expr) -> bool:
    """Whether a context manager of a test waits for an exception."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr.startswith("assertRaises") or node.func.attr == "raises"


def _of_parameters(element: Value) -> bool:
    """Whether what is iterated goes along a model's parameters, of which there are some."""
    if element.kind is Kind.CONTAINER:
        return any(_of_parameters(item) for item in element.payload.items or ())
    return element.kind is Kind.PARAMETERS


def _forget(head: Store, back: Store, entry: Store) -> None:
    """The loop did not settle: what it assigns is unknown, what it recorded is only "perhaps"."""
    for name, value in back.names.items():
        if entry.names.get(name) != value:
            head.names[name] = UNKNOWN
    engine = head.state.engine
    head.state.engine = engine._replace(recorded=engine.recorded.perhaps())
    head.state.obligations = entry.state.obligations


def _joined(left: Value, element: Value) -> Value:
    return join_values(left.payload.element, element)


def _run_value(value: Value, store: Store) -> Value:
    return run(value) if store.state.engine.recorded == NOTHING else value


def _only_imports(node: ast.Try) -> bool:
    """Whether a `try` guards imports: then its handlers are for when torch_xla is not there."""
    if not any(isinstance(s, ast.Import | ast.ImportFrom) for s in node.body):
        return False
    for handler in node.handlers:
        caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {c.id for c in caught if isinstance(c, ast.Name)}
        if not names & {"ImportError", "ModuleNotFoundError"} and handler.type is not None:
            return False
    return True


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
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            names.append(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.append(node.rest)
    return names


_STATEMENTS: dict[type, Execute] = {
    ast.Expr: Statements._expression,
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.FunctionDef: Statements._define_function,
    ast.AsyncFunctionDef: Statements._define_function,
    ast.ClassDef: Statements._define_class,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import,
    ast.Return: Statements._return,
    ast.Raise: Statements._raise,
    ast.Break: Statements._break,
    ast.Continue: Statements._continue,
    ast.Delete: Statements._delete,
    ast.Assert: Statements._assert,
    ast.If: Statements._if,
    ast.Match: Statements._match,
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.While: Statements._while,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.Try: Statements._try,
}
_TRY_STAR = getattr(ast, "TryStar", None)
if _TRY_STAR is not None:
    _STATEMENTS[_TRY_STAR] = Statements._try
