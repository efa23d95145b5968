"""Diagnostics depend on the code alone: not on summaries, on the order of files, on the front end, or on
which other rules are selected."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias
from zlib import crc32

import pytest

from checking import diagnostics_by_rules, diagnostics_of
from corpus import CORPUS, trees
from fixture_programs import FIXTURES, bad_programs, clean_programs
from xlalint.analysis import engine
from xlalint.diagnostic import Diagnostic
from xlalint.program import cst_frontend
from xlalint.registry import all_rules
from xlalint.rule import Rule
from xlalint.sources import syntax
from xlalint.sources.file import SourceFile

Change: TypeAlias = Callable[[pytest.MonkeyPatch], None]

CHECKOUT = FIXTURES.parent
OF_RUNS = {rule.code for rule in all_rules() if rule.of_runs}
FOLDERS = sorted({p.root.parent for p in bad_programs() + clean_programs() if p.code not in OF_RUNS})
PROGRAMS = [
    CHECKOUT / "examples" / "train_digits",
    CHECKOUT / "tests" / "interpreter" / "modules",
    *sorted((CHECKOUT / "tests" / "interpreter").glob("*.py")),
    *(
        CHECKOUT / "tests" / "frameworks" / name
        for name in (
            "accelerate_loop",
            "composer_model",
            "criterion",
            "device_by_name",
            "fabric_loop",
            "lightning_module",
            "trainer",
        )
    ),
    # Of each of these something else was said, or is, for no reason in the code.
    *sorted((CHECKOUT / "tests" / "same_answers").glob("*.py")),
    FIXTURES / "XLA004" / "loop_moved_by_a_word.py",  # by itself: beside it stands one that imports torch_xla
]

COUNTED_ANEW = (
    "contexts of a function are counted over all passes: where no summary is taken again, a later pass "
    "is at the bound from its first call on"
)
KNOWN_DIFFERENCES = {
    ("without_summaries", "tests/interpreter/bounds.py"): COUNTED_ANEW,
    ("without_summaries", "transformers-4.46.3"): COUNTED_ANEW,
}
"""Where the answer is not the same, and why. Whoever mends a cause takes its line away."""

NOT_ALONE = frozenset({"XLA090"})
"""Whether a suppression is in vain is a question to the other rules."""


def without_summaries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "Program", functools.partial(engine.Program, memo=False))


def files_in_reversed_order(monkeypatch: pytest.MonkeyPatch) -> None:
    program = engine.Program

    def of_reversed(files: Sequence[SourceFile], *arguments: Any, **options: Any) -> engine.Program:
        return program([*reversed(files)], *arguments, **options)

    monkeypatch.setattr(engine, "Program", of_reversed)


def every_file_through_libcst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "ast", SimpleNamespace(parse=cst_frontend.parse))


every_way = pytest.mark.parametrize(
    "change",
    [
        without_summaries,
        files_in_reversed_order,
        # Slow, and `test_cst_frontend.py` compares the trees themselves.
        pytest.param(every_file_through_libcst, marks=pytest.mark.soak, id="every_file_through_libcst"),
    ],
    ids=lambda change: change.__name__,
)


def name(path: Path) -> str:
    return path.relative_to(CHECKOUT).as_posix()


def is_usual(root: Path) -> bool:
    """Whether a root is for the usual run: of those that no cause brought here, it takes a third."""
    return root.parent.name == "same_answers" or crc32(name(root).encode()) % 3 == 0


def in_turn(root: Path) -> object:
    """A root for the usual run, or for soak."""
    return pytest.param(root, marks=[] if is_usual(root) else [pytest.mark.soak], id=name(root))


@every_way
@pytest.mark.parametrize("root", [in_turn(root) for root in [*FOLDERS, *PROGRAMS]])
def test_fixtures(root: Path, change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(root, change, monkeypatch)


@pytest.mark.soak
@every_way
@pytest.mark.parametrize("tree", trees(CORPUS), ids=lambda tree: tree.name)
def test_real_trees(tree: Path, change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tree.is_dir(), f"{tree} is not there: run benchmarks/corpus.py"
    if change is without_summaries and tree.name.startswith("fairseq"):
        pytest.skip("its calls fan out so far that interpreting each of them anew does not end")
    compare(tree, change, monkeypatch)


COMPARED = [rule for rule in all_rules() if rule.code not in NOT_ALONE]

every_rule = pytest.mark.parametrize("rule", COMPARED, ids=lambda rule: rule.code)


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(rule, id=rule.code, marks=[pytest.mark.soak] if index % 36 else [])
        for index, rule in enumerate(COMPARED)
    ],
)
def test_a_rule_alone_says_what_it_says_among_all(rule: type[Rule[Any]]) -> None:
    """Where it speaks, of a third of the roots; else, and of most rules, in the soak run."""
    for root in filter(is_usual, [*FOLDERS, *PROGRAMS]):
        if of_rule(rule, by_all(root)):
            compare_alone(rule, root)


@pytest.mark.soak
@every_rule
@pytest.mark.parametrize("tree", [FIXTURES, *trees(CORPUS)], ids=lambda tree: tree.name)
def test_a_rule_alone_says_of_real_trees_what_it_says_among_all(tree: Path, rule: type[Rule[Any]]) -> None:
    assert tree.is_dir(), f"{tree} is not there: run benchmarks/corpus.py"
    compare_alone(rule, tree)


@pytest.mark.soak
def test_every_rule_that_is_compared_speaks_somewhere() -> None:
    spoken = {one.code for root in [*FOLDERS, *PROGRAMS] for one in by_all(root)}
    silent = {rule.code for rule in all_rules() if not rule.of_runs} - spoken
    assert silent == {"XLA000"}, "what cannot be parsed is no fixture program"


def test_known_differences_are_about_what_is_compared() -> None:
    compared = {name(root) for root in [*FOLDERS, *PROGRAMS]} | {tree.name for tree in trees(CORPUS)}
    assert {root for _, root in KNOWN_DIFFERENCES} <= compared


def compare(root: Path, change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    also = [root.name] if root.parent == FIXTURES and root.name.startswith("XLA") else []
    usual = diagnostics_of(root, *also)
    change(monkeypatch)
    changed = diagnostics_of(root, *also)
    known = KNOWN_DIFFERENCES.get((change.__name__, shown(root)))
    if known is not None:
        assert changed != usual, f"mended, take it from the known differences: {known}"
        return
    assert usual or not any(b"torch_xla" in path.read_bytes() for path in root.rglob("*.py"))
    assert changed == usual


def compare_alone(rule: type[Rule[Any]], root: Path) -> None:
    # Where a rule yields to one that is not selected, it speaks: that one is selected with it.
    alone = of_rule(rule, diagnostics_by_rules(root, rule.code, *rule.yields_to))
    among_all = of_rule(rule, by_all(root))
    known = KNOWN_DIFFERENCES.get((rule.code, shown(root)))
    if known is not None:
        assert alone != among_all, f"mended, take it from the known differences: {known}"
        return
    assert alone == among_all


@functools.cache
def by_all(root: Path) -> tuple[Diagnostic, ...]:
    return tuple(diagnostics_by_rules(root, "ALL"))


def of_rule(rule: type[Rule[Any]], diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [diagnostic for diagnostic in diagnostics if diagnostic.code == rule.code]


def shown(root: Path) -> str:
    return root.name if root.parent == CORPUS else name(root)
