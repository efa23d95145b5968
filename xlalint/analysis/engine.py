"""The analysis of one program: what to interpret, in which order, and what happens there."""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from xlalint.analysis.importable import raised_by_body, raised_by_import
from xlalint.analysis.interpreter import Interpreter
from xlalint.analysis.reuse.cutoff import CutOff, Section
from xlalint.analysis.reuse.facts import Facts
from xlalint.analysis.reuse.kept import Kept
from xlalint.analysis.reuse.lookups import Fact
from xlalint.analysis.reuse.summaries import told_once
from xlalint.analysis.reuse.updates import Updates
from xlalint.analysis.roots import Plan, leading_to, order, saves
from xlalint.analysis.store import Store
from xlalint.analysis.wording import in_words
from xlalint.configuration import Configuration
from xlalint.judging import Occurrence
from xlalint.knowledge import outside
from xlalint.knowledge.functions import COUNTS_REPLICAS
from xlalint.knowledge.methods import OPTIMIZER_HOOKS
from xlalint.lazy.assumptions import (
    IS_A_TENSOR,
    OFF_BY_DEFAULT,
    STARTED,
    TRAINED_ELSEWHERE,
    Assumptions,
    assume,
    both,
    is_guess,
)
from xlalint.lazy.events import (
    ApiUsed,
    BatchesPadded,
    BoundReached,
    ClippedEarly,
    DeviceSpelled,
    DeviceUnregistered,
    Event,
    FileUnreadable,
    HostRead,
    LeftAlone,
    ReadTooEarly,
    Save,
    UnmatchedCollective,
    VariableUsed,
)
from xlalint.lazy.site import Site
from xlalint.lazy.state import State, View
from xlalint.lazy.state import join as join_states
from xlalint.lazy.values import Value
from xlalint.program.outline import Class, Function, Import, Key, Outline, imports_in
from xlalint.program.parsing import parse_file
from xlalint.program.project import Project
from xlalint.remembering import forget
from xlalint.sources import imports
from xlalint.sources.file import START, SourceFile, Unreadable, read
from xlalint.sources.usage import HOT_TOKEN, LIBRARIES
from xlalint.spelling import THE_FRAMEWORK
from xlalint.stack import deep_recursion


class Root(NamedTuple):
    """Something that is analyzed by itself: what happens there does not depend on other roots.

    Args:
        kind: A "file" that cannot be parsed, the "uses" of names in one, the "body" of a module, a
            "function", a function that may "save" in mid-step, a method that is "inherited", or a "harness"
            of a framework.
        file: Where it stands.
        key: Which function; or which class, and what it inherits or a framework does with it.
    """

    kind: str
    file: str
    key: str = ""


class Result(NamedTuple):
    """What happens at a root.

    Args:
        occurrences: What happens.
        entered: The functions that were entered on the way.
        rested: The facts of the program that it rests on.
    """

    occurrences: tuple[Occurrence, ...]
    entered: frozenset[Key]
    rested: frozenset[Fact]


class Analyzed(NamedTuple):
    """One root, and its result unless that is known from before. `told`: whether it is to be reported."""

    root: Root
    result: Result | None
    told: bool = True


OpenFile = Callable[[Path], SourceFile | Unreadable]

Take = Callable[[Root, Callable[[], Iterable[Occurrence]]], tuple[Analyzed, frozenset[Key]]]
"""Analyzes a root, unless its result is known from before; returns with it what was entered."""

Recall = Callable[[Root], "frozenset[Key] | None"]
"""What a root had entered, where its result is known from before and still holds; else None."""


@dataclass(slots=True)
class LineState:
    """What the model holds before one line of a file, over all the ways it may be reached."""

    line: int
    state: State
    values: Mapping[str, Value]

    def words(self, name: str) -> Iterator[str]:
        """What is known of the value of a name beside its kind."""
        return in_words(self.values[name])


def unreadable(file: Unreadable) -> Occurrence:
    """That a file cannot be read or parsed, as something that happens in it."""
    site = Site(str(file.path), file.position.line)
    if file.file is not None:
        site = file.file.site(file.position, file.position)
    return Occurrence(FileUnreadable(site, reason=file.reason, part=file.part), View())


def trace(program: Program, file: SourceFile) -> list[LineState]:
    """What the model holds at every line of a file of `program` that is interpreted.

    All places are counted in the lines of whole files.
    """
    seen: dict[int, LineState] = {}

    def observe(statement: ast.stmt, outline: Outline, store: Store) -> None:
        if outline.path != file.path:
            return
        known = seen.get(statement.lineno)
        if known is None:
            seen[statement.lineno] = LineState(statement.lineno, store.state.copy(), dict(store.names))
        else:
            known.state = join_states(known.state, store.state)
            known.values = {**known.values, **store.names}

    program.interpreter.observer = observe
    for _ in program.analyze():
        pass
    told = _Told(program.where)
    for known in seen.values():
        known.state = known.state.map(told.anew)
        known.values = {name: told.anew(value) for name, value in known.values.items()}
    return [seen[line] for line in sorted(seen)]


def _takes_several(occurrence: Occurrence) -> bool:
    """Whether only several replicas suffer from what happens, and nothing shows that there are."""
    event, replicas = occurrence.event, occurrence.view.replicas
    of_some = isinstance(event, HostRead | Save) and replicas.rank_test is not None
    return not replicas.launched and (
        of_some or isinstance(event, ClippedEarly | ReadTooEarly | UnmatchedCollective)
    )


def _of_one_replica(occurrence: Occurrence) -> Occurrence | None:
    """What happens in a program that nothing starts twice: who waits there for others has some in mind."""
    if not _takes_several(occurrence):
        return occurrence
    event, view = occurrence.event, occurrence.view
    if isinstance(event, HostRead | Save):
        return occurrence._replace(view=view._replace(replicas=view.replicas._replace(launched=False)))
    if not isinstance(event, UnmatchedCollective):
        return None
    return occurrence._replace(event=replace(event, assumes=both(event.assumes, STARTED)))


class _Told:
    """Parts of states with all their places told anew. The states of a file's lines share most of theirs."""

    def __init__(self, where: Callable[[Site], Site]) -> None:
        self._where = where
        self._known: dict[int, tuple[Any, Any]] = {}
        """By its identity what was told before, which is held so that no other takes its place."""

    def anew(self, held: Any) -> Any:
        """The same with other places."""
        if not isinstance(held, tuple | frozenset):
            return held
        known = self._known.get(id(held))
        if known is None:
            known = self._known[id(held)] = held, self._made(held)
        return known[1]

    def _made(self, held: Any) -> Any:
        match held:
            case Site():
                return self._where(held)
            case frozenset():
                return frozenset(map(self.anew, held))
        parts = map(self.anew, held)
        return type(held)._make(parts) if hasattr(held, "_make") else tuple(parts)


class Program:
    """Files that are analyzed together: calls are followed between them and into what they import."""

    def __init__(
        self,
        files: Sequence[SourceFile],
        kinds: frozenset[type[Event]],
        configuration: Configuration,
        *,
        users: Iterable[Path] = (),
        guessed: Iterable[Path] = (),
        started: Iterable[Path] = (),
        helped: Iterable[Path] = (),
        elsewhere: Iterable[tuple[str, str]] = (),
        unregistered: Mapping[str, frozenset[str]] = MappingProxyType({}),
        refusing: frozenset[str] = frozenset(),
        open_file: OpenFile = read,
        kept: Any = None,
        memo: bool = True,
        stays: bool = False,
    ) -> None:
        """
        Args:
            files: The files to look at; those that are not hot are only entered when a call leads there.
            kinds: The kinds of events that somebody judges; they steer nothing.
            configuration: What is known of the program beside its files.
            users: Those of the files that use XLA through a framework, and may not say so themselves.
            guessed: Those of the users of which only files elsewhere in the project say that they do.
            started: Those that use one, and that something else says to start on XLA.
            helped: Those that use it through other files.
            elsewhere: Files, each with a framework that trains its classes on other devices than XLA's.
            unregistered: Files that nothing in the project brings torch_xla to, each with the packages that
                it imports and that may do.
            refusing: The files of which an import may raise, as something is gone from torch or torch_xla.
            open_file: Reads a file that something imports.
            kept: The summaries of another run, as JSON.
            memo: Whether summaries are kept; the answer is the same without.
            stays: Whether texts will change; see `change`.
        """
        self._kinds = kinds
        self._stays = stays
        self._bound: dict[str, frozenset[bytes]] = {}
        """By file, the names that it may import something under."""
        self._open_file = open_file
        self._at = configuration.at
        self.unreadable: list[Unreadable] = []
        """Those of the files that cannot be parsed."""
        self._files = {file.path: file for file in sorted(files, key=lambda f: str(f.path))}
        self._memo = memo
        self._kept_before = kept
        self.project = Project(
            configuration, self._open_module, None if stays else self._read_text, _FAR_APART if stays else 1
        )
        self.recalled: Callable[[Fact], str | None] = lambda fact: None
        """The value of a fact that is known not to have changed; None for others."""
        self._users = frozenset(users)
        self._guessed = frozenset(guessed)
        self._started = frozenset(started)
        looked_into = self._users.union(self._started, helped)
        self._elsewhere = frozenset(elsewhere)
        self._unregistered = unregistered
        self._refusing = refusing
        with deep_recursion():
            outlines = [(file, self.project.outline(file.path)) for file in self._files.values()]
            self.plan = Plan(
                [o for file, o in outlines if o is not None and (file.is_hot or file.path in looked_into)],
                self.project,
                lambda outline: (*LIBRARIES, *self._at(outline.path.parent).packages),
            )
        planned = set(self.plan.outlines)
        self._derived = [outline for _, outline in outlines if outline is not None and outline not in planned]
        self._begin()

    def _begin(self) -> None:
        """Know nothing of what happens, but what was kept."""
        self.kept = Kept(self._kept_before, self.project)
        self.facts = Facts(
            self.project, lambda: self.plan, lambda cls: self.interpreter.classes.attributes(cls),
            self._refusing,
        )  # fmt: skip
        self.interpreter = Interpreter(
            self.project, self.plan, self._kinds, self._refusing, kept=self.kept, memo=self._memo
        )
        """What runs the program in the abstract."""
        self._updates = Updates(self.facts, self.plan, self.interpreter)

    def cut_off(self, files: set[str], assume: Callable[[frozenset[Fact]], None]) -> CutOff | None:
        """Look for functions whose texts have changed since the last run, and that do what they did.

        Args:
            files: The files with another text than in the last run.
            assume: Is told which facts hold from now on, whatever is seen of their texts.

        Returns:
            These, if there are any.
        """
        failed: set[Section] = set()
        for _ in range(MOST_TRIES):
            cutoff = CutOff(self.kept, self.interpreter, self.facts, files, failed)
            assume(cutoff.texts)
            if not cutoff.texts:
                return None
            with deep_recursion():
                wrong = cutoff.find()
            if not wrong:
                return cutoff
            failed |= wrong
            holds = self.kept.holds
            self._begin()  # what was found out by what is wrong may be wrong, too
            self.kept.holds = holds
        assume(frozenset())
        return None

    @property
    def statistics(self) -> Counter[str]:
        """What was counted on the way."""
        return Counter(self.interpreter.statistics) + Counter(modules=self.project.outlined)

    def to_keep(self, value: Callable[[Fact], str]) -> Any:
        """The summaries for another run, as JSON; None if they are those that were kept before.

        Args:
            value: The present value of a fact.
        """
        lookups = self.interpreter.lookups
        found = {fact: (value, lookups.derived[fact]) for fact, value in lookups.values.items()}
        return self.kept.to_keep(value, self.interpreter.contexts_in, found)

    def close(self) -> None:
        """Forget the program. It holds itself in circles, which nobody looks for while a check runs."""
        self.interpreter.close()
        self.plan.close()
        self.project.close()
        self._files.clear()
        self._derived.clear()
        forget()

    def change(self, files: Iterable[SourceFile]) -> Callable[[Iterable[Fact]], bool] | None:
        """Take other texts for some files, and forget what does not hold any more.

        Returns:
            Says whether one of some facts has another value than before. None where a file cannot be parsed,
            or could not: then nothing was done.
        """
        texts: dict[Outline, tuple[str, ast.Module]] = {}
        changed = list(files)
        for file in changed:
            if file.path not in self.project.opened:
                continue  # nobody has looked at it
            outline, tree = self.project.outline(file.path), parse_file(file)
            if outline is None or isinstance(tree, Unreadable):
                return None
            texts[outline] = file.text, tree
        self._files.update((file.path, file) for file in changed if file.path in self._files)
        altered = frozenset(self.interpreter.facts.of(self._updates.change(texts)))
        return lambda facts: not altered.isdisjoint(facts)

    def derived(self, fact: Fact) -> frozenset[Fact]:
        """What a fact rests on that was found out of others."""
        return frozenset(self.interpreter.facts.of(self.interpreter.lookups.derived[fact]))

    @property
    def known(self) -> int:
        """How much is known of the program: ways in which functions were entered, and facts."""
        return sum(1 for _ in self.interpreter.contexts()) + len(self.interpreter.facts.all)

    def has_section(self, path: str, name: str) -> bool:
        """Whether a file has a section that places may be counted in."""
        outline = self.project.outline(self.project.path(path))
        return outline is not None and outline.sections.find(name) is not None

    def where(self, site: Site) -> Site:
        """A place of the program, counted in the lines of its whole file."""
        if not site.section:
            return site
        outline = self.project.outline(self.project.path(site.path))
        assert outline is not None
        line, end = [outline.sections.line(site.section, each) for each in (site.line, site.end_line)]
        return site._replace(line=line, end_line=end, section="")

    @property
    def size(self) -> int:
        """About how many roots there are: some functions are reached from others, some classes have more."""
        return 2 * len(self.plan.outlines) + len(self.plan.relevant)

    def analyze(self, recall: Recall = lambda root: None) -> Iterator[Analyzed]:
        """Analyze all roots of the program, each as if it were the only one.

        Args:
            recall: Says which results are known from before.
        """
        reached: set[Key] = set()
        called: set[Key] = set()
        """Functions that others call than those that only save."""
        take = partial(self._take, recall)
        for file in self.unreadable:
            root = Root("file", str(file.path))
            yield Analyzed(root, Result((unreadable(file),), frozenset(), frozenset()))
        for outline in self.plan.outlines:
            if not self._kinds.isdisjoint(_OF_TEXT):
                yield take(Root("uses", outline.file), partial(self._api_uses, outline))[0]
        for outline in self.plan.module_bodies():
            analyzed, entered = take(
                Root("body", outline.file), partial(self.interpreter.run_module, outline)
            )
            reached |= entered
            called |= entered
            yield analyzed
        stepping = {
            function
            for outline in self.plan.outlines
            for function in list(outline.functions.values())
            if function.owner is not None and self._has_optimizer_scope(function)
        }
        referenced = self.plan.referenced(stepping)
        # What else such a class can do is judged where it is asked for, if the class is used at all.
        asked_for = {
            function
            for function in stepping
            if function.name not in OPTIMIZER_HOOKS and self.plan.uses_class_of(function)
        }
        functions = sorted((self.plan.relevant | stepping) - asked_for, key=order)
        left: dict[Function, tuple[Analyzed, frozenset[Key]]] = {}
        for function in functions:
            if function not in referenced and function.key not in reached:
                analyzed, entered = take(_root(function), partial(self.interpreter.run_root, function))
                reached |= entered - {function.key}
                called |= set() if saves(function) else entered - {function.key}
                yield analyzed
        entered_by: dict[Key, list[Key]] = {}
        for function in functions:
            # Functions that somebody names but nobody was seen to call: one that an earlier one enters has
            # nothing to tell of its own.
            if function in referenced and function.key not in reached and function.key not in entered_by:
                left[function] = take(_root(function), partial(self.interpreter.run_root, function))
                called |= set() if saves(function) else left[function][1] - {function.key}
                for key in left[function][1] - {function.key}:
                    entered_by.setdefault(key, []).append(function.key)
        for function, (analyzed, entered) in left.items():
            yield analyzed._replace(told=entered.issuperset(entered_by.get(function.key, ())))
        for cls, method in self._inherited(called):
            root = Root("inherited", cls.outline.file, f"{cls.key[1]} {method.name}")
            yield take(root, partial(self.interpreter.run_inherited, cls, method))[0]
        yield from self._savers([f for f in self.plan.savers() if f.key not in called], take)
        for cls, harness in self._harnesses():
            root = Root("harness", cls.outline.file, f"{cls.key[1]} {harness.name}")
            yield take(root, partial(self.interpreter.run_harness, cls, harness))[0]

    def _take(
        self, recall: Recall, root: Root, run: Callable[[], Iterable[Occurrence]]
    ) -> tuple[Analyzed, frozenset[Key]]:
        """The result of a root and what it entered, unless that is known from before."""
        entered = recall(root)
        if entered is not None:
            return Analyzed(root, None), entered
        result = self._run(root, run)
        return Analyzed(root, result), result.entered

    def _savers(self, functions: list[Function], take: Take) -> Iterator[Analyzed]:
        """Functions that save, once more: whoever calls them may be in mid-step."""
        taken = {
            function: take(Root("save", *function.key), partial(self.interpreter.run_saver, function))
            for function in functions
        }
        inner = {key for function, (_, entered) in taken.items() for key in entered - {function.key}}
        for function, (analyzed, _) in taken.items():
            yield analyzed._replace(told=function.key not in inner)

    def _inherited(self, called: set[Key]) -> Iterator[tuple[Class, Function]]:
        """Methods that classes inherit from others of the project and that lead to methods of their own.

        Nobody was seen to call these, so that only there is seen how they are called.
        """
        for outline in self.plan.outlines:
            for cls in list(outline.classes.values()):
                with deep_recursion():
                    bases = self.interpreter.classes.bases(cls)
                    is_told = len(bases) == 1 or bool(self.interpreter.classes.harnesses_of(cls))
                if is_told:
                    continue
                methods = {
                    name: method
                    for base in reversed(bases)
                    if not base.outline.is_framework
                    for name, method in base.methods.items()
                }
                own = {
                    method.name
                    for method in methods.values()
                    if method.owner is cls and method in self.plan.relevant and method.key not in called
                }
                yield from ((cls, methods[name]) for name in leading_to(own, cls, methods))

    def _run(self, root: Root, run: Callable[[], Iterable[Occurrence]]) -> Result:
        self.interpreter.begin()
        path = self.project.path(root.file)
        file = self._files.get(path)
        try:
            with deep_recursion():
                occurrences = told_once([*run()])
                if path in self._users or root.kind == "harness":
                    brings = path in self._started or (file is not None and file.is_hot)
                    named = path not in self._guessed if path in self._users else brings
                    occurrences = _assumed(occurrences, _BY_FRAMEWORK if named else TRAINED_ELSEWHERE)
                occurrences = self._of_replicas(occurrences, root.file)
                occurrences = tuple(map(self._with_options, occurrences))
        except RecursionError:
            # Others are analyzed as if this one were not there.
            outline = self.project.outline(path)
            assert outline is not None
            reason = "it is nested too deeply: the analyzer ran out of stack"
            shown = file.shown if file is not None else root.file
            occurrences = (unreadable(Unreadable(path, shown, reason, START, file)),)
        interpreter = self.interpreter
        entered = interpreter.functions.of(interpreter.trail.entered)
        rested = interpreter.facts.of(interpreter.trail.rested)
        return Result(occurrences, frozenset(entered), frozenset(rested))

    def _of_replicas(self, occurrences: tuple[Occurrence, ...], file: str) -> tuple[Occurrence, ...]:
        """What happens, without what several replicas would suffer of a program that nothing starts twice."""
        if not any(map(_takes_several, occurrences)):
            return occurrences
        self.interpreter.rest_on("starts", file)
        if self.plan.starts_replicas():
            return occurrences
        kept = (each if self._counts_replicas(each) else _of_one_replica(each) for each in occurrences)
        return tuple(each for each in kept if each is not None)

    def _counts_replicas(self, occurrence: Occurrence) -> bool:
        """Whether the file in which gradients are clipped asks which of several replicas runs it."""
        if not isinstance(occurrence.event, ClippedEarly):
            return False
        outline = self.project.outline(self.project.path(occurrence.event.path[-1].path))
        return outline is not None and self.interpreter.mentions(outline, COUNTS_REPLICAS)

    def _with_options(self, occurrence: Occurrence) -> Occurrence:
        """What happens, with what it assumes of options that the program leaves off."""
        if isinstance(occurrence.event, BoundReached) or not occurrence.event.assumes:
            return occurrence
        files = {site.path for site in occurrence.event.path}
        outlines = [one for file in sorted(files) if (one := self.project.outline(self.project.path(file)))]
        assumes = frozenset(
            clause + OFF_BY_DEFAULT
            if (option := _OPTION.fullmatch(clause))
            and not outside.chooses_xla(option[1])
            and any(self.interpreter.default_of_option(one, option[1]) is False for one in outlines)
            else clause
            for clause in occurrence.event.assumes
        )
        return occurrence._replace(event=replace(occurrence.event, assumes=assumes))

    def _has_optimizer_scope(self, function: Function) -> bool:
        with deep_recursion():
            return self.interpreter.classes.has_optimizer_scope(function)

    def _harnesses(self) -> Iterator[tuple[Class, Function]]:
        """What frameworks do with classes of the project that derive from theirs."""
        for outline in (*self.plan.outlines, *self._derived):
            for cls in list(outline.classes.values()):
                with deep_recursion():
                    harnesses = self.interpreter.classes.harnesses_of(cls)
                for harness in harnesses:
                    if (str(outline.path), harness.outline.name) not in self._elsewhere:
                        yield cls, harness

    def _api_uses(self, outline: Outline) -> list[Occurrence]:
        from xlalint.analysis.environment import variables_used
        from xlalint.program.literals import device_literals
        from xlalint.program.unregistered import devices_unregistered
        from xlalint.program.usage import api_uses

        resolve = partial(self._meant, outline)
        self.interpreter.rest_on("whole", outline.file)
        view = View()
        names = api_uses(outline.tree, outline.lines, resolve, outline.file)
        text = "\n".join(outline.lines)
        frameworks = self.project.frameworks(outline)
        variables = [*variables_used(outline.tree, text, outline.file, outline.name, frameworks)]
        counted = DeviceSpelled in self._kinds  # few ask for it, and looking at every node is slow
        spelled = device_literals(outline.tree, text, outline.file) if counted else ()
        unknown = self._unregistered.get(outline.file)
        devices = () if unknown is None else devices_unregistered(outline.tree, outline.file, unknown)
        raised = raised_by_import(self.interpreter, outline) if variables else None
        if raised is None and variables:
            raised = raised_by_body(self.interpreter, outline)
        behind = view if raised is None else view._replace(raised=raised)
        return [
            *(Occurrence(event, view) for event in (*names, *spelled, *devices)),
            *(Occurrence(event, behind) for event in variables),
        ]

    def _meant(self, outline: Outline, name: str) -> str | None:
        """The library name that a name means in a module."""
        root, _, rest = name.partition(".")
        for binding in outline.bindings.get(root, ()):
            if isinstance(binding, Import):
                meant = self._canonical(binding.target, outline)
                if meant is not None:
                    return f"{meant}.{rest}" if rest else meant
                if rest and (meant := self._of_member(binding.target, rest, outline)) is not None:
                    return meant
        for module in () if root in outline.bindings else reversed(outline.star_imports):
            meant = self._canonical(f"{module}.{root}", outline)
            if meant is not None and module.partition(".")[0] != HOT_TOKEN:
                return f"{meant}.{rest}" if rest else meant
        return None

    def _of_member(self, module: str, name: str, outline: Outline) -> str | None:
        """The library name that a member of a module of the project means, or a member of that."""
        while name:
            self.interpreter.rest_on("module", outline.folder, module)
            if self.project.locate_from(module, outline.folder) is None:
                return None
            first, _, name = name.partition(".")
            module = f"{module}.{first}"
            meant = self._canonical(module, outline)
            if meant is not None:
                return f"{meant}.{name}" if name else meant
        return None

    def _canonical(self, target: str, outline: Outline) -> str | None:
        """The library name that an import means, through re-exports of the project."""
        if target.partition(".")[0] == HOT_TOKEN:
            return target
        return None if outline.is_framework else self._passed_on(target, outline.folder, outline.file, 0)

    def _passed_on(self, target: str, folder: str, file: str, depth: int) -> str | None:
        """The library name that an import in a file means that is not of the library itself.

        Many modules are only looked into for that, and those that are as they were need not be parsed.
        """
        parent, _, last = target.rpartition(".")
        if not parent or depth >= 8:
            return None
        rest_on = self.interpreter.rest_on
        rest_on("module", folder, parent)
        found = self.project.locate_from(parent, folder)
        if found is None:
            return None
        about, name = ("outline", found, ""), ("name", found, last)
        told = self.recalled(name)
        if told is None and self._imports_no(found, last):
            told = ""  # whatever else the name is there
        elif self.recalled(about) is None and self.project.outline(self.project.path(found)) is None:
            return None
        for kind in ("outline", "module name", "settings"):
            rest_on(kind, found)
        if found == file:
            return None
        rest_on("name", found, last)
        for meant in imports_in(self.facts.value(name) if told is None else told):
            if meant.partition(".")[0] == HOT_TOKEN:
                return meant
            return self._passed_on(meant, os.path.dirname(found), found, depth + 1)  # noqa: PTH120
        return None

    def _imports_no(self, file: str, name: str) -> bool:
        """Whether the bytes of a file show that it imports nothing under a name, so that nobody parses it."""
        if self._stays:
            return False  # what has not been opened is not looked at when its text changes
        bound = self._bound.get(file)
        if bound is None:
            text = self._read_text(self.project.path(file)) or ""
            bound = self._bound[file] = imports.bound(text.encode("utf-8", "surrogatepass"))
        return name.isascii() and name.encode() not in bound

    def _read_text(self, path: Path) -> str | None:
        opened = self._files.get(path) or self._open_file(path)
        return opened.text if isinstance(opened, SourceFile) else None

    def _open_module(self, path: Path) -> tuple[str, ast.Module] | None:
        asked = self._files.get(path)
        file = asked or self._open_file(path)
        tree = file if isinstance(file, Unreadable) else parse_file(file)
        if isinstance(tree, Unreadable):
            if asked is not None:
                self.unreadable.append(tree)
            return None
        assert isinstance(file, SourceFile)
        return file.text, tree


MOST_TRIES: Final = 3
"""So often it is looked for changed functions that do what they did, each time without those that do not."""

_FAR_APART: Final = 1 << 16
"""Between two lines so many may come, in a program that stays in memory."""

_OF_TEXT: Final = (ApiUsed, DeviceSpelled, DeviceUnregistered, VariableUsed)
"""What is seen from the text of a file, without running it."""

_LIKELY_ANYWAY: Final = (BatchesPadded, LeftAlone, UnmatchedCollective)
"""What hangs on the samples, or on what each replica computes, in any program."""

_OPTION: Final = re.compile(r"`[\w.]+\.(\w+)`")
"""How it is assumed that an option is on."""

_BY_FRAMEWORK: Final = assume("the framework trains on an XLA device")


def _assumed(occurrences: Iterable[Occurrence], by: Assumptions) -> tuple[Occurrence, ...]:
    """What happens if XLA is what a framework trains on: that is assumed once, whatever follows from it."""
    return tuple(
        occurrence
        if isinstance(occurrence.event, BoundReached)
        else occurrence._replace(event=replace(occurrence.event, assumes=_also(occurrence.event, by)))
        for occurrence in occurrences
    )


def _also(event: Event, by: Assumptions) -> Assumptions:
    """What follows from what the framework hands out, on whatever branch, is no assumption of its own."""
    others = frozenset(clause for clause in event.assumes if THE_FRAMEWORK not in clause) - IS_A_TENSOR
    if by == _BY_FRAMEWORK and others and isinstance(event, _LIKELY_ANYWAY) and not is_guess(others):
        return others
    return both(others, by)


def _root(function: Function) -> Root:
    return Root("function", *function.key)
