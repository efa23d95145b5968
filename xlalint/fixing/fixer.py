"""From diagnostics to changed texts, in rounds: choose, rewrite, verify, and look again.

Nothing is written here. A round changes texts in memory; the check that follows verifies them, and is where
the next round begins. Statements move before names change, so that nobody renames what is about to move.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from xlalint.checker import Report, applicability
from xlalint.cure import Cure, SyncBefore, Where
from xlalint.diagnostic import Applicability, Diagnostic, Severity
from xlalint.fixing.places import file_of
from xlalint.fixing.rewriting import Wanted, rewrite
from xlalint.fixing.surroundings import Surroundings
from xlalint.lazy.site import Path as Calls
from xlalint.settings import Settings
from xlalint.sources.file import SourceFile, changed, decode, read_bytes, show
from xlalint.sources.notebook import NotebookError

MOST_ROUNDS = 20
MOST_COMPLETED = 3
"""What a change brings is cured with it; so is what that brings, and so on, at most so often."""
MOST_MOVING = 16
"""While statements move in any file nothing else is done, at most for so many rounds."""

NEVER_NEW = frozenset({"XLA205"})
"""Of the rules below a warning, those whose diagnostics a fix must not bring: a marker that splits a step."""


class Applied(NamedTuple):
    """A diagnostic that was cured."""

    diagnostic: Diagnostic
    cure: Cure


class Left(NamedTuple):
    """A diagnostic with a cure that was asked for and not carried out, and why."""

    diagnostic: Diagnostic
    cure: Cure
    reason: str


class Choice(NamedTuple):
    """One cure of one diagnostic, of all the only one that is wanted.

    Args:
        title: That of the cure.
    """

    diagnostic: Diagnostic
    title: str


@dataclass
class Outcome:
    """What came of fixing.

    Args:
        report: What is left, as places of the new texts.
        before: By path, the bytes of the files that change.
        after: By path, what they change to.
        applied: What was cured, as places of the texts of its round.
        left: What was not, each with the reason.
        tied: The paths of files that one fix changes: all of them are written, or none.
    """

    report: Report
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    applied: list[Applied] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    tied: list[set[str]] = field(default_factory=list)

    def together(self) -> list[list[str]]:
        """The paths of the files that change, those together that are written together."""
        groups = [{path} for path in self.after]
        for paths in self.tied:
            met = [group for group in groups if not group.isdisjoint(paths)]
            groups = [group for group in groups if group not in met] + ([set().union(*met)] if met else [])
        return sorted(map(sorted, groups))


Check = Callable[[Mapping[str, bytes]], Report]
"""Checks the project with other texts than stand on disk in some files, by their paths."""


def migrated() -> tuple[str, ...]:
    """The rules whose fixes bring code to the present torch_xla, in the order to apply them.

    What moves statements comes before what renames what stands in them.
    """
    from xlalint.registry import all_rules

    families = ("XLA3", "XLA2", "XLA1", "XLA00")
    codes = [rule.code for rule in all_rules() if rule.enabled]
    return tuple(
        code for family in families for code in codes if code.startswith(family) and code != "XLA000"
    )


def fix(
    check: Check, settings: Callable[[str], Settings], given: Mapping[str, bytes] = MappingProxyType({}), *,
    unsafe: bool, code: str | None = None, choice: Choice | None = None,
) -> Outcome:  # fmt: skip
    """Cure what can be cured.

    Args:
        check: Says what is wrong.
        settings: Those of a file, by its path.
        given: By path, what stands in files that `check` does not read from disk.
        unsafe: Whether to carry out what may change what is computed, or when.
        code: The rule whose diagnostics to cure, with what must be cured with them; None: all.
        choice: What alone to carry out; None: all that may be.
    """
    allowed = {Applicability.SAFE, Applicability.UNSAFE} if unsafe else {Applicability.SAFE}
    return _Fixing(check, settings, given, allowed, code, choice).run()


class _Fixing:
    def __init__(
        self, check: Check, settings: Callable[[str], Settings], given: Mapping[str, bytes],
        allowed: set[Applicability], code: str | None, choice: Choice | None,
    ) -> None:  # fmt: skip
        self._code = code
        self._choice = choice
        self._check = check
        self._settings = settings
        self._allowed = allowed
        self._before = dict(given)
        self._texts: dict[str, bytes] = {}
        self._tied: list[set[str]] = []
        self._failed: dict[_Key, str] = {}
        """Cures that were tried and did not stand the check, with the reason."""
        self._doubted: set[_Key] = set()
        """Cures that did not, beside those of other files."""
        self._at_once: dict[str, int] = {}
        """By path, how many diagnostics to cure in one round, where all at once did not stand the check."""

    def run(self) -> Outcome:
        report = self._check(self._texts)
        applied: list[Applied] = []
        left: list[Left] = []
        number = 0
        while number < MOST_ROUNDS:
            plans, left = self._plan(report, self._texts)
            if number < MOST_MOVING and any(plan.moves for plan in plans):
                plans = [plan for plan in plans if plan.moves]
            else:
                plans = [plan for plan in plans if not plan.moves]
            if not plans:
                break
            report, done = self._carry_out(report, plans)
            applied += done
            number += bool(done)  # what fails is not tried again, so that comes to an end by itself
            if applied and self._choice is not None:
                break
        changed = [path for path, text in self._texts.items() if text != self._before[path]]
        return Outcome(
            report, {path: self._before[path] for path in changed},
            {path: self._texts[path] for path in changed}, applied, left, self._tied,
        )  # fmt: skip

    # Planning -----------------------------------------------------------------------------------

    def _plan(
        self, report: Report, texts: Mapping[str, bytes],
        brought: Collection[Diagnostic] | None = None,
    ) -> tuple[list[_Plan], list[Left]]:  # fmt: skip
        """What can be done in the next round, file by file, and what is not done at all.

        Args:
            report: What is wrong.
            texts: By path, what was checked instead of what stands on disk.
            brought: The diagnostics that alone are to be cured; None: those that were asked for.
        """
        left: list[Left] = []
        sources = {str(source.path): source for source in report.sources.values()}
        wanted: dict[str, list[_Asked]] = defaultdict(list)
        curable = [*self._curable(report)]
        synced: dict[Where, list[Calls]] = defaultdict(list)
        for _, cures, path_to in curable:
            for cure in cures:
                if isinstance(cure, SyncBefore):
                    synced[cure.site].append(path_to)
        for diagnostic, cures, path_to in curable:
            if brought is not None and diagnostic not in brought:
                continue
            untried = [cure for cure in cures if self._key(report, diagnostic, cure) not in self._failed]
            if not untried:
                left.append(Left(diagnostic, cures[0], self._failed[self._key(report, diagnostic, cures[0])]))
                continue
            paths = [path for path in map(file_of, untried) if path in report.checked and path in sources]
            if not paths:
                left.append(Left(diagnostic, untried[0], _out_of_reach(file_of(untried[0]), report)))
                continue
            paths.sort(key=lambda path: sources[path].shown != diagnostic.path)
            also = [each for cure in cures if isinstance(cure, SyncBefore) for each in synced[cure.site]]
            first, *further = [
                Wanted([cure for cure in untried if file_of(cure) == path], path_to, also)
                for path in dict.fromkeys(paths)
            ]
            wanted[paths[0]].append(_Asked(diagnostic, first, further))
        plans: list[_Plan] = []
        around = Surroundings(report, texts)
        while wanted:
            elsewhere: dict[str, list[_Asked]] = defaultdict(list)
            for path, asked in wanted.items():
                if brought is None and path in self._at_once:
                    # What stands last first: what moves directly below the same then keeps its order.
                    asked = asked[-self._at_once[path] :]
                leading = [
                    n for n, each in enumerate(asked) if brought is not None or self._leads(each.found)
                ]
                exports, callees = around.of(path)
                made = rewrite(sources[path], [each.wanted for each in asked], leading, exports, callees)
                for number, (cure, reason) in made.refused.items():
                    found, _, others, refused = asked[number]
                    refused = refused or Left(found, cure, reason)
                    if others:  # what its own file refuses, that of a caller may allow
                        other = file_of(others[0].cures[0])
                        elsewhere[other].append(_Asked(found, others[0], others[1:], refused))
                    else:
                        left.append(refused)
                if made.text is None:
                    continue
                done = [(asked[number].found, cure) for number, cure in made.done.items()]
                try:
                    own = {path: self._encoded(sources[path], made.text)}
                    for other, text in made.others.items():
                        own[other] = self._encoded(callees.module(other).file, text)
                    plans.append(_Plan(path, own, done, made.moves))
                except UnicodeEncodeError:
                    left += (Left(*each, "the encoding of the file cannot hold the result") for each in done)
                except (OSError, NotebookError) as error:
                    left += (Left(*each, str(error)) for each in done)
            changed_already = {plan.path for plan in plans}
            wanted = {path: asked for path, asked in elsewhere.items() if path not in changed_already}
        return [*_apart(plans)], left

    def _leads(self, diagnostic: Diagnostic) -> bool:
        """Whether a diagnostic is to be cured, and not only together with one that is."""
        if self._choice is not None:
            return diagnostic == self._choice.diagnostic
        return self._code in (None, diagnostic.code)

    def _curable(self, report: Report) -> Iterator[tuple[Diagnostic, list[Cure], Calls]]:
        """The diagnostics that may be cured, each with the cures that were asked for, and its calls."""
        for diagnostic, placed in report.curable:
            settings = self._settings(placed.path[0].path)
            cures = [
                cure
                for cure in placed.finding.cures
                if applicability(cure, diagnostic.code, settings) in self._allowed
            ]
            if self._choice is not None and self._leads(diagnostic):
                cures = [cure for cure in cures if cure.title == self._choice.title]
            if cures:
                yield diagnostic, cures, (*reversed(placed.around), *placed.path)

    def _key(self, report: Report, diagnostic: Diagnostic, cure: Cure) -> _Key:
        return (*self._place(report, diagnostic), cure.title, file_of(cure))

    @staticmethod
    def _place(report: Report, diagnostic: Diagnostic) -> _Key:
        """What a diagnostic is known by in the next round, in which lines move and keep their text."""
        source = report.sources.get(diagnostic.path)
        line = source.line(diagnostic.range.start.line).strip() if source is not None else ""
        return (diagnostic.path, diagnostic.code, line)

    def _encoded(self, source: SourceFile, text: str) -> bytes:
        """The bytes of a new text.

        Raises:
            UnicodeEncodeError: the file cannot hold it.
            NotebookError: it would change more than the text in cells.
            OSError: the file is not what was checked.
        """
        path = str(source.path)
        if path not in self._before:
            data = read_bytes(path)
            now = decode(source.path, source.shown, data) if isinstance(data, bytes) else data
            if isinstance(data, str) or not isinstance(now, SourceFile) or now.text != source.text:
                raise OSError("it was changed while xlalint ran; run it again")
            self._before[path] = data
        return changed(source, text, self._before[path])

    # Verifying ----------------------------------------------------------------------------------

    def _carry_out(self, report: Report, plans: list[_Plan]) -> tuple[Report, list[Applied]]:
        """Change the texts, as far as that stands the check that follows.

        Returns:
            What is found afterwards, and what is cured.
        """
        while plans:
            texts = {**self._texts, **{path: data for plan in plans for path, data in plan.texts.items()}}
            after = self._check(texts)
            for _ in range(MOST_COMPLETED):
                brought = self._brought(report, after, plans)
                more = self._plan(after, texts, brought)[0] if brought else []
                if not more:
                    break
                for plan in more:
                    texts.update(plan.texts)
                after = self._check(texts)
            against = objections(report, after, plans)
            if not against:
                self._texts = texts
                self._tied += ({*plan.texts} for plan in plans if len(plan.texts) > 1)
                for plan in plans:
                    if plan.path in self._at_once:
                        self._at_once[plan.path] *= 2
                return after, [Applied(*done) for plan in plans for done in plan.done]
            blamed = [(plan, reason) for plan in plans if (reason := against.get(plan.path)) is not None]
            if len(blamed) > 1 and _harms_others(report, after, plans):
                plans = [plan for plan, _ in blamed[: len(blamed) // 2]]  # fewer show whose harm it is
                continue
            for plan, reason in blamed:
                self._give_up(report, plan, reason, alone=len(plans) == 1)
            plans = [plan for plan in plans if plan.path not in against]
        return report, []

    def _brought(self, before: Report, after: Report, plans: Sequence[_Plan]) -> list[Diagnostic]:
        """What plans bring, or leave, that speaks against them: where that is known, it is cured with them.

        A step around one loop may make a sync necessary in the next: only both together are right.
        """
        against = {*_standing(before, after, plans), *harm(before, after)}
        if not against:
            return []
        meant = {self._place(before, diagnostic) for plan in plans for diagnostic, _ in plan.done}
        known = Counter(self._place(before, diagnostic) for diagnostic in before.diagnostics)
        brought = []
        for diagnostic in after.diagnostics:
            if (diagnostic.path, diagnostic.code) in against:
                place = self._place(after, diagnostic)
                known.subtract([place])
                if known[place] < 0 or place in meant:
                    brought.append(diagnostic)
        return brought

    def _give_up(self, report: Report, plan: _Plan, reason: str, *, alone: bool) -> None:
        """Do less at once next time; a cure that fails by itself is not tried again.

        One that fails beside those of other files is, once: what speaks against it may be theirs.
        """
        if len(plan.done) > 1:
            self._at_once[plan.path] = len(plan.done) // 2
            return
        self._at_once.pop(plan.path, None)
        for diagnostic, cure in plan.done:
            key = self._key(report, diagnostic, cure)
            if alone or key in self._doubted:
                self._failed[key] = reason
            self._doubted.add(key)


class _Asked(NamedTuple):
    """A diagnostic to be cured in one file, and its cures in others, should that refuse."""

    found: Diagnostic
    wanted: Wanted
    others: Sequence[Wanted]
    refused: Left | None = None
    """Why its own file refuses, where that is known."""


_Key = tuple[str, ...]
"""What a cure is known by from one round to the next, in which lines move and keep their text."""


class _Plan(NamedTuple):
    """What a file changes to, and others with it; and the diagnostics that this cures, each with its cure."""

    path: str
    texts: dict[str, bytes]
    done: list[tuple[Diagnostic, Cure]]
    moves: bool


def _apart(plans: Iterable[_Plan]) -> Iterator[_Plan]:
    """Those plans of which no two change the same file; the others wait for the next round."""
    changed: set[str] = set()
    for plan in plans:
        if changed.isdisjoint(plan.texts):
            changed.update(plan.texts)
            yield plan


def _out_of_reach(path: str, report: Report) -> str:
    """Why a file cannot be changed."""
    why = "the diagnostic does not show" if path in report.checked else "is not checked"
    return f"it would change {show(Path(path))}, which {why}"


def harm(before: Report, after: Report) -> Iterator[tuple[str, str]]:
    """The files, as they are shown, and the rules of which a change brings more diagnostics than it may."""
    was, now = _counted(before), _counted(after)
    for (path, code), count in now.items():
        if count > was[path, code] and _counts(code, path, after):
            yield path, code


def objections(before: Report, after: Report, plans: Sequence[_Plan]) -> dict[str, str | None]:
    """What speaks against changes, by the path of the changed file: new harm, or none cured.

    What is new in another file is held against all changes. Nothing is held against names that change where
    the program raised: it did not get to what is wrong below. What else is to change with them waits until
    they have (None): then it shows whose harm that is.
    """
    wrong: dict[str, str | None] = {}
    shown = {plan.done[0][0].path: plan for plan in plans}
    more = _counted(after) - _counted(before)
    waits = any(map(_uncovers, plans))
    for path, code in harm(before, after):
        reason = None if waits else f"{code} would be reported in {path} afterwards"
        held = [shown[path]] if path in shown else plans
        if path in shown and more[path, code] <= _in_front(code, shown[path]):
            continue
        wrong.update((each.path, reason) for each in held if each.path not in wrong and not _uncovers(each))
    for plan in plans:
        for _, code in _standing(before, after, [plan]):
            if wrong.get(plan.path) is None:
                wrong[plan.path] = f"{code} would still be reported"
    return wrong


def _standing(before: Report, after: Report, plans: Sequence[_Plan]) -> Iterator[tuple[str, str]]:
    """The files, as they are shown, and the rules of which plans cure less than they should."""
    was, now = _counted(before), _counted(after)
    for plan in plans:
        cured = Counter((diagnostic.path, diagnostic.code) for diagnostic, _ in plan.done)
        yield from (key for key, count in cured.items() if now[key] > was[key] - count)


def _harms_others(before: Report, after: Report, plans: Sequence[_Plan]) -> bool:
    """Whether files are worse off that none of the plans is about: it is not seen whose harm that is."""
    own = {plan.done[0][0].path for plan in plans}
    return any(path not in own for path, _ in harm(before, after))


def _in_front(code: str, plan: _Plan) -> int:
    """How many diagnostics that a plan cures may have kept those of a rule from being seen."""
    from xlalint.registry import find

    behind = find(code).behind
    return sum(diagnostic.code in behind for diagnostic, _ in plan.done)


def _uncovers(plan: _Plan) -> bool:
    """Whether what is found after a change may have been there before, where the program did not get to."""
    from xlalint.registry import find

    return not plan.moves and any(find(diagnostic.code).raises for diagnostic, _ in plan.done)


def _counted(report: Report) -> Counter[tuple[str, str]]:
    return Counter((diagnostic.path, diagnostic.code) for diagnostic in report.diagnostics)


def _counts(code: str, path: str, report: Report) -> bool:
    """Whether a fix must not bring diagnostics of a rule to a file."""
    return code in NEVER_NEW or any(
        diagnostic.severity >= Severity.WARNING
        for diagnostic in report.diagnostics
        if (diagnostic.code, diagnostic.path) == (code, path)
    )
