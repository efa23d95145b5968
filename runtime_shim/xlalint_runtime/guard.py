"""Watches a program on the running engine and judges what it does by the rules that the analyzer uses.

The guard drives the same model of the lazy engine as the analyzer, but from the engine itself: hooks
tell it what happens, and the engine's own counters what is recorded at that moment.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any

from xlalint.diagnostic import Diagnostic
from xlalint.judging import Judge
from xlalint.lazy.events import Event, Settled
from xlalint.registry import all_rules, is_guarded
from xlalint.rule import Rule
from xlalint.versions import DEFAULT_TARGET
from xlalint_runtime import replicas
from xlalint_runtime.hooks import Patches
from xlalint_runtime.report import Report
from xlalint_runtime.sites import user_chain
from xlalint_runtime.watch import Happened, Watch
from xlalint_runtime.watching import cuts, loops, meetings, reads, training

HOOKS = (*cuts.HOOKS, *reads.HOOKS, *training.HOOKS, *loops.HOOKS, *meetings.HOOKS)


class Guard:
    """Watches while it is entered. What it hooks is put back when it is left.

    Names that the program imported before count as much as those it imports later: only what the
    engine looks up anew at every call is replaced.
    """

    def __init__(
        self,
        rules: Iterable[type[Rule[Any]]] | None = None,
        on_news: Callable[[], None] | None = None,
    ) -> None:
        """Args:
        rules: The rules to judge by; None: those that are on by default. Of either only those that judge
            no other events than the guard emits.
        on_news: Called whenever there is a new diagnostic: a program that hangs or aborts never
            comes to its end.
        """
        chosen = [rule for rule in all_rules() if rule.enabled] if rules is None else rules
        self._judge = Judge(rule(DEFAULT_TARGET) for rule in chosen if is_guarded(rule))
        self._report = Report()
        self._on_news = on_news
        self._watch = Watch(self._happened, self._report)
        self._patches = Patches()

    def __enter__(self) -> Guard:
        for hook in HOOKS:
            self._patches.replace(hook.owner, hook.name, functools.partial(hook.wrap, self._watch))
        training.register(self._watch, self._patches)
        replicas.listen(self._watch)
        self._patches.on_undo(lambda: replicas.listen(replicas.Listener()))
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.undo()

    @property
    def emitted(self) -> frozenset[type[Event]]:
        """The kinds of events that there were so far."""
        return frozenset(self._watch.emitted)

    def diagnostics(self) -> list[Diagnostic]:
        """What was found so far, in the order in which diagnostics are shown."""
        return self._report.diagnostics()

    def end(self) -> None:
        """The program ends here, on this replica."""
        chain = user_chain()
        # An exception that ends the program is reason enough for work to be lost.
        if chain and sys.exc_info()[0] is None:
            self._watch.tell(chain, self._watch.model.end)

    def _happened(self, happened: Iterable[Happened]) -> None:
        news = False
        for event, view, chain in happened:
            # What a cut settles belongs to the function that makes the cut.
            in_caller = isinstance(event, Settled) and event.obligation.terms.placed_in_caller
            settled_in = chain if in_caller else None
            for finding in self._judge.findings(event, view):
                news |= self._report.add(finding, settled_in)
        if news and self._on_news is not None:
            self._on_news()
