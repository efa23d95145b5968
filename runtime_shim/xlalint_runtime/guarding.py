"""Watches a program on the running engine and judges what it does by the rules that the analyzer uses.

The guard drives the same model of the lazy engine as the analyzer, but from the engine itself: hooks
tell it what happens, and the engine's own counters what is recorded at that moment.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from xlalint.diagnostic import Diagnostic
from xlalint.judging import Judge, Placed
from xlalint.lazy.events import Event, Settled
from xlalint.registry import all_rules, is_guarded
from xlalint.rule import Rule
from xlalint.versions import DEFAULT_TARGET
from xlalint_runtime import arrival, counters, replicas
from xlalint_runtime.choosing import Choice
from xlalint_runtime.hooks import Patches
from xlalint_runtime.report import Report
from xlalint_runtime.shield import Faults, shielded
from xlalint_runtime.summary import Summary
from xlalint_runtime.watch import Happened, Hook, Watch
from xlalint_runtime.watching import (
    autocasting,
    caching,
    cuts,
    dynamo,
    fallbacks,
    launching,
    loops,
    meetings,
    randomness,
    reads,
    recompiles,
    sharding,
    training,
)

HOOKS = (
    *cuts.HOOKS, *reads.HOOKS, *training.HOOKS, *loops.HOOKS, *meetings.HOOKS, *randomness.HOOKS,
    *sharding.HOOKS, *caching.HOOKS, *launching.HOOKS, *autocasting.HOOKS,
    *dynamo.HOOKS,
)  # fmt: skip

CHECKPOINTS = "torch.distributed.checkpoint"
"""Is hooked once the program has imported it: that takes a fifth of a second, and few programs do."""


class Guard:
    """Watches while it is entered. What it hooks is put back when it is left.

    Names that the program imported before count as much as those it imports later: only what the
    engine looks up anew at every call is replaced.
    """

    def __init__(
        self,
        rules: Iterable[type[Rule[Any]]] | None = None,
        on_news: Callable[[Placed], None] | None = None,
        choice: Choice | None = None,
        warmup: int = 0,
        stop_after: int | None = None,
        pace: Callable[[], None] | None = None,
        ends_parting: bool = False,
        follows_lines: bool = False,
        explains_graphs: bool = False,
    ) -> None:
        """Args:
        rules: The rules to judge by; None: those that are on by default. Of either only those that judge
            no other events than the guard emits.
        on_news: Called with each finding that is the first of its rule at its place, where it happens: a
            program that hangs or aborts never comes to its end. What it raises reaches the program.
        choice: What the user wants to see; None: everything.
        warmup: How many steps at the start are left out of what is told of each step.
        stop_after: After how many steps `pace` stops the program; None: it does not.
        pace: Called whenever the program is seen; what it raises reaches the program.
        ends_parting: Whether replicas that would wait for each other for ever are ended by an exception.
        follows_lines: Whether lines are followed from the start, so that operations that fall back to the
            host are found where they come first, too. That is slow.
        explains_graphs: Whether all is told by which a graph that was compiled again differs. So is that.
        """
        chosen = [rule for rule in all_rules() if rule.enabled] if rules is None else rules
        self._judge = Judge(rule(DEFAULT_TARGET) for rule in chosen if is_guarded(rule))
        self.summary = Summary(warmup, stop_after)
        self.report = Report(self.summary, choice)
        self.faults = Faults()
        self._on_news = on_news
        self._watch = Watch(self._happened, self.report, pace, ends_parting=ends_parting)
        self._patches = Patches()
        self._follows_lines = follows_lines
        self._explains_graphs = explains_graphs

    def __enter__(self) -> Guard:
        self._patches.on_undo(counters.count_dynamo_launches())
        for hook in HOOKS:
            self._install(hook)
        self._patches.on_undo(arrival.when_imported(CHECKPOINTS, self._watch_checkpoints))
        training.register(self._watch, self._patches, self.faults)
        fallbacks.register(self._watch, self._patches, self.faults, from_the_start=self._follows_lines)
        recompiles.register(self._watch, self._patches, self.faults, explains=self._explains_graphs)
        replicas.listen(self._watch)
        self._patches.on_undo(lambda: replicas.listen(replicas.Listener()))
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.undo()

    def _install(self, hook: Hook) -> None:
        self._patches.replace(hook.owner, hook.name, functools.partial(self._shielded, hook))

    def _watch_checkpoints(self) -> None:
        from xlalint_runtime.watching import checkpoints

        for hook in checkpoints.HOOKS:
            self._install(hook)

    def _shielded(self, hook: Hook, original: Any) -> Any:
        wrap = functools.partial(hook.wrap, self._watch)
        passes = functools.partial(hook.passes, self._watch) if hook.passes is not None else None
        return shielded(wrap, original, hook.dotted, self.faults, passes)

    @property
    def emitted(self) -> frozenset[type[Event]]:
        """The kinds of events that there were so far."""
        return frozenset(self._watch.emitted)

    @property
    def ordered_collectives(self) -> bool:
        """Whether collectives met because replicas launched in the order of their ranks."""
        return self._watch.ordered_collectives

    def diagnostics(self) -> list[Diagnostic]:
        """What was found so far, in the order in which diagnostics are shown."""
        return self.report.diagnostics()[0]

    def end(self, *, by_itself: bool = True) -> None:
        """The program has come to its end; if `by_itself`, what nothing will run any more is lost."""
        self._watch.at_end()
        if by_itself:
            self._watch.end()

    def _happened(self, happened: Iterable[Happened]) -> None:
        news: list[Placed] = []
        for event, view, chain in happened:
            # What a cut settles belongs to the function that makes the cut.
            settles = event.obligation if isinstance(event, Settled) else None
            settled_in = chain if settles is not None and settles.terms.placed_in_caller else None
            for finding in self._judge.findings(event, view):
                placed = self.report.add(finding, settled_in, settles)
                if placed is not None:
                    news.append(placed)
        if self._on_news is not None:
            for placed in news:
                self._on_news(placed)
