"""Summaries of functions: one for each context that a function is called in, made once and served again."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from xlalint.analysis.call import Call
from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.reuse.kept import Context, Kept, Narrowed
from xlalint.analysis.reuse.summaries import (
    TRIED,
    Summary,
    are_idle,
    classes_in,
    context_key,
    entered_state,
    entry_state,
    neutral_state,
    unknown_state,
    widened,
)
from xlalint.analysis.reuse.trail import Trail
from xlalint.analysis.store import AttributeKey, Store
from xlalint.lazy import assumptions
from xlalint.lazy.events import BoundReached
from xlalint.lazy.obligations import OF_FILES, OF_WEIGHTS
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import UNKNOWN, Kind, Value
from xlalint.program.outline import Class, Function, Key, Outline

MANY_CONTEXTS: Final = 32
"""From this many contexts on, those that differ only in a number or text count as one."""
MOST_CONTEXTS: Final = 64
"""At most this many contexts of one function are kept apart; then its arguments become unknown."""
MOST_DEPTH: Final = 24
"""Calls are followed at most this deep."""
MOST_MADE: Final = 2
"""So often a root interprets a function in one context that a recursion or the depth has a say in; then what
it did the last time stands for all. Where functions call each other in many circles, each way around them
would be another one, and their number doubles with each function."""
MOST_SHARED: Final = 8
"""What holds at one depth alone is kept for other roots where it is at most this: most roots come to the
same by the same few calls, and what is kept of each call within would be too much."""

Observer = Callable[[ast.stmt, Outline, Store], None]


class Memo(Machine):
    """The summaries of one analysis: which serves a call, and where bounds make contexts one."""

    def __init__(self, kept: Kept, *, memo: bool) -> None:
        """Args:
        kept: The summaries of another run.
        memo: Whether summaries are kept; without them every call is interpreted anew.
        """
        self.facts = kept.facts
        self.attributes = kept.attributes
        self.functions = kept.functions
        self.trail = Trail()
        self.statistics = {"functions": 0, "contexts": 0, "passes": 0, "bounds": 0, "unknown calls": 0}
        self.observer: Observer | None = None
        """Called with each statement, its module and the store before it."""
        self._memo = memo
        self._known: dict[Function, dict[Any, list[Context]]] = {}
        """All contexts that functions were interpreted in, whoever called."""
        self._kept_before = kept
        self._bits: dict[Key, int] = kept.bits()
        """The contexts of each function, as bits."""
        self._crowded = {key: bits for key, bits in self._bits.items() if bits.bit_count() > MANY_CONTEXTS}
        """The same for those functions of which so many are known that a root may come to a bound."""
        self._contexts = len(kept.entries)
        self._counted = 0
        """The contexts that the present root has come to."""
        self._own: dict[Context, Summary] = {}
        """Summaries that hold for the present root alone."""
        self._added: list[tuple[Context, Summary | None]] = []
        """The contexts that have got one, in this order, each with the summary that it had before."""
        self._on_stack = 0
        """The functions that are being interpreted."""

    @abstractmethod
    def interpret(
        self, function: Function, names: dict[str, Value], captured: dict[str, Value],
        attributes: dict[AttributeKey, Value], entry: State, call: Call, *, trial: bool = False,
    ) -> Summary:  # fmt: skip
        """Run a function in one context, whatever is known of it; in a trial, until anything happens."""

    def begin(self) -> None:
        """Forget what was gathered: what comes next is interpreted as if it were all there is."""
        self.trail = Trail()
        self._counted = 0
        self._own = {}
        self._added = []
        self._on_stack = 0

    def close(self) -> None:
        """Forget all that was found out; see `Program.close`."""
        self.begin()
        for context, _, _ in self.contexts():
            context.narrowed.clear()  # they hold each other
        self.lookups.close()
        self.classes.close()
        self._known.clear()
        self._bits.clear()
        self._crowded.clear()
        self._own = {}
        self._kept_before.close()

    def apart(self, find: Callable[[], Any]) -> tuple[Any, int]:
        """Find something out as if nothing else were going on: the answer depends on the program alone.

        Returns it, and the facts that it rests on, as bits.
        """
        held = self.trail, self._counted, self._own, self._added, self._on_stack
        self.begin()
        try:
            return find(), self.trail.rested
        finally:
            self.trail, self._counted, self._own, self._added, self._on_stack = held

    def summary(
        self, function: Function, names: dict[str, Value], captured: dict[str, Value], call: Call
    ) -> Summary:
        attributes = self.within_reach(call.store.attributes, names, captured)
        state = call.store.state
        entry = entry_state(state, function)
        alone = not state.scopes.open
        if alone and are_idle(names) and are_idle(captured) and self._names_idle(function, attributes):
            # Nothing of the engine's goes in: unless something happens inside, one context serves all.
            summary = self._neutral_summary(function, names, captured, attributes, entry, call)
            if (
                summary is not None
                and summary.did_nothing
                and not (summary.trail.asked & OF_FILES and state.awaits_a_reader)
                and not summary.trail.asked & state.waiting & OF_WEIGHTS
            ):
                return summary
        key, owed = context_key(names, captured, entry), entry.waiting
        summary = self._kept(function, key, attributes, owed, call)
        if summary is None and (count := self._count(function)) >= MANY_CONTEXTS:
            names = {name: widened(value) for name, value in names.items()}
            captured = {name: widened(value) for name, value in captured.items()}
            if count >= MOST_CONTEXTS:
                self.trail.narrowed = True
                self._bound(call, "this function is called in too many different states")
                names = {name: value if name == "self" else UNKNOWN for name, value in names.items()}
                captured = {
                    name: value if value.kind is Kind.CALLABLE else UNKNOWN
                    for name, value in captured.items()
                }
                attributes = {}
                entry.trust = entry.trust._replace(bounded=assumptions.FOLLOWED)
            if count >= 2 * MOST_CONTEXTS:
                # States tell contexts apart as well: at last one stands for all that are still to come.
                names, captured = dict.fromkeys(names, UNKNOWN), dict.fromkeys(captured, UNKNOWN)
                entry, owed = unknown_state(), 0
            key = self._narrowed(key, context_key(names, captured, entry))
            summary = self._kept(function, key, attributes, owed, call)
        return summary or self._made(function, key, names, captured, attributes, entry, call)

    def _neutral_summary(
        self, function: Function, names: dict[str, Value], captured: dict[str, Value],
        attributes: dict[AttributeKey, Value], entry: State, call: Call,
    ) -> Summary | None:  # fmt: skip
        """What a call does where nothing is recorded and nothing is open; None beyond all bounds.

        Where the caller's state is another, it is only asked whether anything happens.
        """
        neutral = neutral_state(call.store.state)
        key = context_key(names, captured, neutral)
        trial = entry.context() != neutral.key()  # nothing is owed in a neutral state
        summary = self._kept(function, key, attributes, 0, call, trial=trial)
        if summary is None and (count := self._count(function)) >= MANY_CONTEXTS:
            names = {name: widened(value) for name, value in names.items()}
            if count >= MOST_CONTEXTS:
                names = {name: value if name == "self" else UNKNOWN for name, value in names.items()}
            if count >= 2 * MOST_CONTEXTS:
                self.trail.narrowed = True
                return None
            key = self._narrowed(key, context_key(names, captured, neutral))
            summary = self._kept(function, key, attributes, 0, call, trial=trial)
        return summary or self._made(function, key, names, captured, attributes, neutral, call, trial=trial)

    def _narrowed(self, key: Any, narrower: Any) -> Any:
        """The key of a context after a bound has taken away what told it apart."""
        self.trail.narrowed = self.trail.narrowed or key != narrower
        return narrower

    def _count(self, function: Function) -> int:
        """In how many contexts the present root has come to a function."""
        return (self._counted & self._bits.get(function.key, 0)).bit_count()

    def _kept(
        self, function: Function, key: Any, attributes: dict[AttributeKey, Value], owed: int, call: Call, *,
        trial: bool = False,
    ) -> Summary | None:  # fmt: skip
        """A summary made before, if interpreting the function anew would come to the same.

        Of what objects hold and what is owed, only what made a difference then makes one now. In a trial,
        that is one which says that nothing happens, whoever made it, or that of a trial.
        """
        contexts = self._contexts_of(function) if self._memo else {}
        for context in contexts.get(key, ()):
            if context.is_met(attributes, owed):
                summary = self._served(context, call, idle=trial)
                if summary is not None:
                    return summary
        return self._kept(function, (TRIED, None, key), attributes, owed, call) if trial else None

    def _contexts_of(self, function: Function) -> dict[Any, list[Context]]:
        """The contexts of a function that are known."""
        known = self._known.get(function)
        if known is None:
            known = self._known[function] = {}
            for key, context in self._kept_before.of(function):
                known.setdefault(key, []).append(context)
        return known

    def _served(self, context: Context, call: Call, *, idle: bool) -> Summary | None:
        """The summary of a context, where nothing is in its way; with `idle` only if it did nothing."""
        if context.is_packed:
            self._kept_before.unpack(context)
        clean, depth = context.clean, call.frame.depth
        if self.observer is not None and not (call.frame.quiet or context.watched):
            return None
        leaning = 0 if clean is None else clean.trail.leaning
        if leaning and leaning & ~self.lookups.open:
            return None  # what it rested on was being found out then, and is known now
        if idle and clean is not None and not clean.did_nothing:
            return None
        if clean is not None and self._serves(clean, context, depth):
            self._counted |= context.bit | clean.trail.contexts
            self.trail.contexts |= context.bit
            self.trail.take(clean.trail, depth + clean.height)
            return clean
        own = self._own.get(context) or self._narrowed_before(context, depth, idle=idle)
        if own is None or (idle and not own.did_nothing):
            return None
        if own.made >= MOST_MADE:
            # It held on another way around the circle, whose functions may not be entered on this one.
            self.trail.contexts |= context.bit
            self.trail.take(own.trail, min(depth + own.height, MOST_DEPTH))
            self.trail.cut_off &= self._on_stack
            self.trail.too_deep = True
            return own
        if own.trail.cut_off & ~self._on_stack:
            return None
        if own.trail.tried & ~own.trail.cut_off & self._on_stack:
            return None
        if depth != own.depth and (own.trail.too_deep or depth + own.height >= MOST_DEPTH):
            return None
        self.trail.contexts |= context.bit
        self.trail.take(own.trail, depth + own.height)
        return own

    def _narrowed_before(self, context: Context, depth: int, *, idle: bool) -> Summary | None:
        """A summary at a bound, made for a root that had come to the same as the present one."""
        for before, held, summary, inside, is_here in context.narrowed:
            trail = summary.trail
            if trail.tried & self._on_stack != trail.cut_off:
                continue
            if depth != summary.depth and (is_here or depth + summary.height >= MOST_DEPTH):
                continue
            if idle and not summary.did_nothing:
                continue
            within = self.contexts_in(self.functions.of(trail.tried))
            if not (self._counted ^ before) & within and self._held_within(within) == held:
                self._counted |= context.bit | trail.contexts
                for one, own in inside:
                    self._hold(one, own)
                self._hold(context, summary)
                return summary
        return None

    def _hold(self, context: Context, summary: Summary) -> None:
        """From now on, this is what a function did in a context, for the present root alone."""
        self._added.append((context, self._own.get(context)))
        self._own[context] = summary

    def _since(self, mark: int) -> dict[Context, Summary | None]:
        """The contexts that have another summary for the root than at a mark, with what they had then."""
        before: dict[Context, Summary | None] = {}
        for context, summary in self._added[mark:]:
            before.setdefault(context, summary)
        return {one: summary for one, summary in before.items() if self._own[one] is not summary}

    def _held_within(self, contexts: int) -> dict[Context, Summary]:
        """Those of some contexts that have a summary for the present root alone."""
        return {one: held for one, held in self._own.items() if one.bit & contexts}

    def contexts_in(self, functions: Iterable[Key]) -> int:
        """All contexts of some functions, as bits."""
        bits = 0
        for key in functions:
            bits |= self._bits.get(key, 0)
        return bits

    def _serves(self, summary: Summary, context: Context, depth: int) -> bool:
        """Whether there is nothing in the way of a summary: no recursion, and no bound."""
        trail = summary.trail
        if trail.tried & self._on_stack or depth + summary.height >= MOST_DEPTH:
            return False
        counted = self._counted | context.bit | trail.contexts
        added = counted & ~self._counted
        if not added:
            return True
        # Where there are many, what differs only in a number or text would count as one.
        narrow = added & ~self._kept_before.wide
        for bits in self._crowded.values():
            if added & bits:
                count = (counted & bits).bit_count()
                if count > MANY_CONTEXTS and (narrow & bits or count > MOST_CONTEXTS):
                    return False
        return True

    def _made(
        self, function: Function, key: Any, names: dict[str, Value], captured: dict[str, Value],
        attributes: dict[AttributeKey, Value], entry: State, call: Call, *, trial: bool = False,
    ) -> Summary:  # fmt: skip
        """A new summary."""
        counted, mark = self._counted, len(self._added)
        context, summary, lasts = self._new(
            function, key, names, captured, attributes, entry, call, trial=trial
        )
        trail = summary.trail
        self._counted |= context.bit
        self.trail.contexts |= context.bit
        if trail.is_clean:
            return summary
        if (own := self._own.get(context)) is not None:
            summary.made = own.made + 1
        self._hold(context, summary)
        since = self._since(mark)
        inside = tuple((one, self._own[one]) for one in since)
        is_here = any(own.trail.cut_off or own.trail.too_deep or own.made > 1 for _, own in inside)
        if lasts and (summary.depth <= MOST_SHARED or not is_here):
            within = self.contexts_in(self.functions.of(trail.tried))
            before = {**self._own, **since}.items()
            held = {one: own for one, own in before if own is not None and one.bit & within}
            context.narrowed.append(Narrowed(counted, held, summary, inside, is_here))
        if is_here or not lasts:
            context.is_partial = True
        return summary

    def _new(
        self, function: Function, key: Any, names: dict[str, Value], captured: dict[str, Value],
        attributes: dict[AttributeKey, Value], entry: State, call: Call, within: int = 0, *,
        trial: bool = False,
    ) -> tuple[Context, Summary, bool]:  # fmt: skip
        """A new summary and its context, and whether the summary may serve another run.

        `within` is the open question that it may rest on.
        """
        mark, outer, self.lookups.leaning = len(self._added), self.lookups.leaning, 0
        entry_owed = entry.waiting
        try:
            summary = self.interpret(function, names, captured, attributes, entry, call, trial=trial)
        finally:
            leaning = self.lookups.leaning
            self.lookups.leaning |= outer
        trail = summary.trail
        trail.leaning |= leaning
        self.trail.leaning |= trail.leaning
        if trial and not summary.did_nothing:
            key = (TRIED, None, key)
        lasts = not trail.leaning & ~within
        touched = tuple((name, attributes.get(name)) for name in self.attributes.of(trail.touched))
        context = self._context(function, key, touched, trail.asked, entry_owed & trail.asked)
        context.watched = context.watched or not call.frame.quiet
        context.is_gone = False
        if trail.is_clean:
            # Of what was narrowed on the way, the rest of the root is to know.
            context.clean, context.lasting = summary, lasts and not self._since(mark)
            context.is_partial = context.is_partial or not context.lasting
        self._kept_before.made(function, key, context)
        return context, summary, lasts

    def contexts(self) -> Iterator[tuple[Context, Function, Any]]:
        """All contexts that are known, each with its function and key."""
        for function, known in self._known.items():
            for key, alike in known.items():
                for context in alike:
                    yield context, function, key

    def again(
        self, function: Function, key: Any, context: Context, before: Summary, bound: Narrowed | None = None
    ) -> int | None:
        """The facts that a function rests on now in a context, as bits; None where it does something else.

        Args:
            before: What it did.
            bound: The same, where a bound on contexts had a say in it.
        """
        trial = key[0] == TRIED
        names, captured, state = key[2] if trial else key
        call = Call(Frame(function.outline, None, before.depth), Store(State()), function.site, None)
        attributes = {name: value for name, value in context.attributes if value is not None}
        entry = entered_state(state, context.owed)
        self.begin()
        self.lookups.leaning = 0
        held = bound.held if bound is not None else {}
        if bound is not None:
            self._counted = bound.before
            self._own = dict(held)
        try:
            now = self.interpret(function, dict(names), dict(captured), attributes, entry, call, trial=trial)
        except RecursionError:
            return None
        inside = {one: own for one, own in self._own.items() if held.get(one) is not own}
        expected = dict(bound.inside) if bound is not None else {}
        expected.pop(context, None)
        is_same = (
            not self.lookups.leaning
            and now.does_as(before)
            and inside.keys() == expected.keys()
            and all(own.does_as(expected[one]) for one, own in inside.items())
        )
        self.begin()
        return now.trail.rested if is_same else None

    def _context(
        self, function: Function, key: Any, attributes: tuple[tuple[AttributeKey, Value | None], ...],
        asked: int, owed: int,
    ) -> Context:  # fmt: skip
        """The context with this key in which this made a difference; it is made known when first met."""
        alike = self._contexts_of(function).setdefault(key, [])
        for context in alike:
            if (context.attributes, context.asked, context.owed) == (attributes, asked, owed):
                return context
        context = Context(1 << self._contexts, attributes, asked, owed)
        alike.append(context)
        self._kept_before.met(key, context)
        self._contexts += 1
        bits = self._bits[function.key] = self._bits.get(function.key, 0) | context.bit
        if bits.bit_count() > MANY_CONTEXTS:
            self._crowded[function.key] = bits
        return context

    def _names_idle(self, function: Function, attributes: dict[AttributeKey, Value]) -> bool:
        """Whether the engine has nothing to do with what objects hold under the names in a function."""
        if not attributes:
            return True
        names = function.attributes()
        if any(isinstance(owner, Outline) for owner, _ in attributes):
            names |= function.outer_names()
        named = [key for key in attributes if key[1].rpartition(".")[2] in names]
        busy = [key for key in named if not are_idle({key: attributes[key]})]
        # One is enough to say no, and it is the same one in whatever order they came about.
        for key in (min(busy, key=_by_spelling),) if busy else named:
            self.touch(key)
        return not busy

    def within_reach(
        self, attributes: dict[AttributeKey, Value], names: dict[str, Value], captured: dict[str, Value]
    ) -> dict[AttributeKey, Value]:
        """The attributes of objects that a function can get at from what it is given."""
        if not attributes:
            return attributes
        waiting = [cls for value in (*names.values(), *captured.values()) for cls in classes_in(value)]
        shared = [key for key in attributes if isinstance(key[0], Outline)]
        if not (waiting or shared):
            return {}
        # What it is given itself mostly is enough, and what instances hold may have to be found out.
        missing = {owner for owner, _ in attributes if isinstance(owner, Class)}.difference(waiting)
        if not missing:
            return attributes
        owned: dict[Class, list[AttributeKey]] = {}
        for key in attributes:
            if isinstance(owner := key[0], Class):
                owned.setdefault(owner, []).append(key)
        reached: set[Class] = set()
        led: dict[Class, tuple[Class | None, AttributeKey]] = {}
        """The classes that are reached by what an attribute holds now, and from where."""
        for key in shared:
            found = classes_in(attributes[key])
            waiting += found
            for each in found:
                led.setdefault(each, (None, key))
        while waiting and missing:
            cls = waiting.pop()
            if cls not in reached:
                reached.add(cls)
                if cls in missing:
                    missing.discard(cls)
                    self._touch_way(cls, led)
                waiting += self._held_by(cls)
                for key in owned.get(cls, ()):
                    found = classes_in(attributes[key])
                    waiting += found
                    for each in found:
                        led.setdefault(each, (cls, key))
        if not missing:
            return attributes
        return {
            key: value
            for key, value in attributes.items()
            if isinstance(owner := key[0], Outline) or owner in reached
        }

    def _touch_way(self, cls: Class, led: dict[Class, tuple[Class | None, AttributeKey]]) -> None:
        """Note by which attributes a class was reached: where they hold something else, it may not be."""
        while (way := led.pop(cls, None)) is not None:
            holder, key = way
            self.touch(key)
            if holder is None:
                break  # the name of a module, which everybody can get at
            cls = holder

    def _held_by(self, cls: Class) -> frozenset[Class]:
        """The classes of which an instance of `cls` holds instances."""
        return self.lookups.find(("holds", cls), lambda: self._find_held_by(cls), frozenset)

    def _find_held_by(self, cls: Class) -> frozenset[Class]:
        return frozenset(c for value in self.classes.attributes(cls).values() for c in classes_in(value))

    def _bound(self, call: Call, what: str) -> None:
        self.reach_bound(what, call.site, call.frame, call.store)

    def reach_bound(self, what: str, site: Site, frame: Frame, store: Store) -> None:
        """The analysis is cut short here: what follows is less sure, and XLA092 may say so."""
        self.statistics["bounds"] += 1
        store.state.trust = store.state.trust._replace(bounded=assumptions.FOLLOWED)
        frame.emit(BoundReached(site, bound=what), store.state)


def _by_spelling(key: AttributeKey) -> tuple[str, ...]:
    """An order of attributes that is the same in every run."""
    owner, name = key
    return (owner.file, "", name) if isinstance(owner, Outline) else (*owner.key, name)
