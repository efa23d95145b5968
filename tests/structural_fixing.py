"""Carries out cures of the structural kind, one after another, as far as tests need it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from xlalint.analysis.engine import Program as Analyzed
from xlalint.configuration import Configuration, Local
from xlalint.cure import Cure, DropArgument, WrapBody
from xlalint.diagnostic import Applicability, Severity
from xlalint.fixing.edits import applied
from xlalint.fixing.imports import added, tidied
from xlalint.fixing.layout import laid_out
from xlalint.fixing.ledger import agrees
from xlalint.fixing.module import Module
from xlalint.fixing.operations import Operation, Replace
from xlalint.fixing.places import expression_at, file_of, seen_in
from xlalint.fixing.rewrite import Need, Refused, Rewrite
from xlalint.fixing.rewriters import REWRITERS
from xlalint.fixing.scopes import together
from xlalint.judging import Judge, Placed, located, settle
from xlalint.lazy.site import Site
from xlalint.registry import all_rules
from xlalint.sources.file import SourceFile, decode
from xlalint.versions import DEFAULT_TARGET

MOST_ROUNDS = 12


def findings_in(texts: dict[Path, str], folder: Path) -> list[Placed]:
    """What all rules find in some texts together."""
    files = [source_file(path, text) for path, text in texts.items()]
    judge = Judge([rule(DEFAULT_TARGET) for rule in all_rules()])
    analyzed = Analyzed(files, judge.kinds, Configuration(lambda _: Local(roots=(folder,))))
    results = [result for _, result, told in analyzed.analyze() if result is not None and told]
    return settle(
        located(placed, analyzed.where) for result in results for placed in judge.judge(result.occurrences)
    )


def source_file(path: Path, text: str) -> SourceFile:
    file = decode(path, path.name, text.encode(), hot=True)
    assert isinstance(file, SourceFile)
    return file


def module_of(path: Path, text: str) -> Module:
    return Module(source_file(path, text), ast.parse(text))


class Step(NamedTuple):
    """One rewrite of one file, with the text before and after."""

    module: Module
    operations: tuple[Operation, ...]
    needs: tuple[Need, ...]
    leaves: tuple[str, ...]
    text: str

    def with_imports(self) -> str:
        """The text with what it needs, and without what it has left."""
        changes = (*laid_out(self.module, self.operations), *added(self.module, self.needs))
        path = self.module.file.path
        return tidied(self.module, module_of(path, applied(self.module.text, changes)), self.leaves)


@dataclass
class Outcome:
    """What became of a program.

    Args:
        texts: Its files.
        applied: The cures that were carried out, with the code of their rule.
        steps: What was done to the files, one after another.
        refused: Why others were not, by rule and cure.
    """

    texts: dict[Path, str]
    applied: list[tuple[str, Cure]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    refused: list[tuple[str, str, str]] = field(default_factory=list)


def fixed(texts: dict[Path, str], folder: Path, codes: Collection[str]) -> Outcome:
    """A program after all cures of some rules, each verified."""
    outcome = Outcome(dict(texts))
    findings = findings_in(outcome.texts, folder)
    tried: set[tuple[str, Cure]] = set()
    for _ in range(MOST_ROUNDS):
        for placed, cure in _wanted(findings, codes, tried):
            tried.add((placed.code, cure))
            try:
                steps = steps_of(outcome.texts, cure, placed, findings)
            except Refused as refused:
                outcome.refused.append((placed.code, type(cure).__name__, str(refused)))
                continue
            changed = after_steps(outcome.texts, steps)
            after = findings_in(changed, folder)
            if new := _new(findings, after, placed.code):
                outcome.refused.append((placed.code, type(cure).__name__, f"then there is {new}"))
                continue
            outcome.texts, findings = changed, after
            outcome.applied.append((placed.code, cure))
            outcome.steps += steps
            break
        else:
            break
    return outcome


def _wanted(
    findings: Sequence[Placed], codes: Collection[str], tried: set[tuple[str, Cure]]
) -> list[tuple[Placed, Cure]]:
    return [
        (placed, cure)
        for placed in findings
        if placed.code in codes
        for cure in placed.finding.cures
        if cure.applicability is not Applicability.SHOWN
        and (placed.code, cure) not in tried
        and (type(cure) in REWRITERS or isinstance(cure, DropArgument))
    ]


def carried_out(
    texts: dict[Path, str], cure: Cure, placed: Placed, findings: Sequence[Placed]
) -> dict[Path, str]:
    """The texts after one cure, and what has to be done with it.

    Raises:
        Refused: it does not apply.
    """
    return after_steps(texts, steps_of(texts, cure, placed, findings))


def steps_of(texts: dict[Path, str], cure: Cure, placed: Placed, findings: Sequence[Placed]) -> list[Step]:
    by_file: dict[Path, list[Cure]] = {}
    for each in (cure, *cure.also):
        by_file.setdefault(Path(file_of(each)), []).append(each)
    steps = []
    for path, cures in by_file.items():
        module = module_of(path, texts[path])
        rewrites = [rewrite_of(module, each, placed, findings) for each in cures]
        operations = tuple(operation for each in rewrites for operation in each.operations)
        needs = tuple(need for each in rewrites for need in each.needs)
        leaves = tuple(name for each in rewrites for name in each.leaves)
        steps.append(Step(module, operations, needs, leaves, text_after(module, operations)))
    return steps


def after_steps(texts: dict[Path, str], steps: Sequence[Step]) -> dict[Path, str]:
    return {**texts, **{step.module.file.path: step.with_imports() for step in steps}}


def calls_of(placed: Placed) -> tuple[Site, ...]:
    return (*reversed(placed.around), *placed.path)


def rewrite_of(module: Module, cure: Cure, placed: Placed, findings: Sequence[Placed]) -> Rewrite:
    if isinstance(cure, DropArgument):
        return _without_argument(module, cure)
    here = seen_in(module, cure, calls_of(placed))
    if isinstance(here, WrapBody):
        others = [
            seen_in(module, each, calls_of(one))
            for one in findings
            for each in one.finding.cures
            if isinstance(each, WrapBody)
            and file_of(each) == str(module.file.path)
            and one.code in (placed.code, "XLA102", "XLA201")
        ]
        (here, *_) = together(module, [here, *(each for each in others if isinstance(each, WrapBody))])
    return REWRITERS[type(here)](module, here)


def text_after(module: Module, operations: Sequence[Operation]) -> str:
    """The text after operations, as the ledger confirms it.

    Raises:
        Refused: it cannot be laid out.
    """
    text = applied(module.text, laid_out(module, operations))
    assert agrees(module, operations, text), f"the ledger says no\n{text}"
    return text


def _without_argument(module: Module, cure: DropArgument) -> Rewrite:
    node: ast.AST = expression_at(module, cure.site)
    while not isinstance(node, ast.Call):
        node = module.parents[node]
    kept = [each for each in node.keywords if each.arg != cure.keyword]
    given = ", ".join(map(module.source, (*node.args, *kept)))
    return Rewrite(operations=(Replace(node, f"{module.source(node.func)}({given})"),))


def _new(before: Sequence[Placed], after: Sequence[Placed], code: str) -> str:
    """What rule speaks that did not, or speaks as often as before although it was cured."""

    def counted(found: Sequence[Placed]) -> Counter[str]:
        return Counter(
            placed.code
            for placed in found
            if placed.finding.severity >= Severity.WARNING or placed.code in ("XLA205", code)
        )

    one, other = counted(before), counted(after)
    if other[code] >= one[code]:
        return code
    return next((each for each in other if other[each] > one[each]), "")
