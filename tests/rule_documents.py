"""Documentation that is made from the rules and from real runs: `python tests/rule_documents.py` writes it.

A test holds that it is up to date.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fixture_programs import bad_programs, read_program
from xlalint.checker import check
from xlalint.cli.rules import catalogue, explained
from xlalint.output.paint import paint
from xlalint.output.text import full
from xlalint.registry import all_rules
from xlalint.rule import Rule
from xlalint.settings import SettingsFinder

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = ROOT / "docs" / "rules"
INDEX = PAGES / "README.md"
TOUR_PAGE = ROOT / "docs" / "tour.md"
PICTURE = ROOT / "docs" / "finding.svg"
FIRST = ["check", "--select", "XLA101", "fixtures/XLA101/log_in_step.py"]
"""The run that the README begins with, and that the picture shows."""

TOUR = (
    ("A checkpoint written by one replica", "XLA501", "rfc_checkpoint.py"),
    ("A loss that is logged in the middle of its step", "XLA101", "log_in_step.py"),
    ("A loop that is left early", "XLA203", "loss_below_target.py"),
    ("A step that ends inside a profiler scope", "XLA301", "rfc_marker_in_trace.py"),
    ("A step closure that is given a number", "XLA106", "resnet_closure.py"),
)
"""The five bugs of RFC #6751: a title, the rule, and the fixture program that shows it."""

WITHOUT_PAGE = {
    "XLA410": "a device that waits for Python: not built yet.",
    "XLA704": "optimizers that have a syncfree twin, under a gradient scaler: another name of XLA703, as on "
    "torch_xla 2.9 scalers read `found_inf` with both. For targets below 2.9 its help names these twins.",
    "XLA813": "large parameters that no device shares with another: not built yet.",
}
"""Codes that were given out, and what became of them: tests/test_targets.py and XLA703's programs hold it."""

STATE_AT = "fixtures/XLA101/log_in_step.py:38"
"""The line at which the tour shows what xlalint knows."""


def main() -> None:
    """Write the pages of the rules, the tour, the picture, and what README.md begins with."""
    PAGES.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for stale in set(PAGES.glob("*.md")) - set(wanted):
        stale.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    for path, text in made_anew().items():
        path.write_text(text, encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")


def pages() -> dict[Path, str]:
    """The page of every rule and their index, by path."""
    made = {PAGES / f"{rule.name}.md": _page(rule) for rule in all_rules()}
    made[INDEX] = "# Rules\n\n" + "\n".join(_table()) + "\n"
    return made


def made_anew() -> dict[Path, str]:
    """README.md and the tour with what stands between their marks made from what xlalint says now.

    Raises:
        ValueError: a mark is missing.
    """
    readme, tour = (path.read_text(encoding="utf-8") for path in (README, TOUR_PAGE))
    first = list(_shown(FIRST, "--isolated", "--quiet"))
    return {README: _between(readme, "first", first), TOUR_PAGE: _between(tour, "tour", _tour())}


def picture() -> str:
    """The first run as a terminal shows it, in colours."""
    from rich.console import Console
    from rich.text import Text

    shown = _output(FIRST, "--isolated", "--quiet", "--color", "always").rstrip()
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ xlalint {' '.join(FIRST)}\n{shown}"))
    svg = console.export_svg(title="xlalint", unique_id="xlalint")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # fonts from elsewhere


def _page(rule: type[Rule[Any]]) -> str:
    """What `xlalint rule` prints, with what the example gives."""
    page = explained(rule)
    if rule.of_runs:
        return page
    begin = page.index("## Example")
    end = page.index("```\n", page.index("```python\n", begin)) + len("```\n")
    source = example(rule, "Example")
    assert source is not None
    return f"{page[:end]}\n```console\n$ xlalint check example.py\n{_sample(rule, source)}\n```\n{page[end:]}"


def _sample(rule: type[Rule[Any]], source: str) -> str:
    """What the rule says of its example."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="xlalint-") as folder:
        os.chdir(folder)
        try:
            Path("example.py").write_text(source, encoding="utf-8")
            finder = SettingsFinder(isolated=True, given={"select": (rule.code,), "preview": True})
            report = check([Path("example.py")], finder, project=Path(folder))
        finally:
            os.chdir(here)
    return paint(full(report.diagnostics, report.sources), colored=False).rstrip()


def example(rule: type[Rule[Any]], heading: str) -> str | None:
    """The Python code under `heading` in the documentation of `rule`."""
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", rule.documentation(), re.M | re.S)
    code = re.search(r"^```python\n(.*?)^```", section[1], re.M | re.S) if section else None
    return code[1] if code else None


def rules_without_proof() -> list[str]:
    """Codes of the rules of which no fixture program shows a measured harm on the engine."""
    proven = {program.code for program in bad_programs() if program.proofs and not program.no_proof}
    return [rule.code for rule in all_rules() if rule.code not in proven]


def _between(text: str, name: str, lines: Iterable[str]) -> str:
    opening, closing = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, begin, rest = text.partition(opening)
    _, end, after = rest.partition(closing)
    if not (begin and end):
        raise ValueError(f"README.md lacks {opening} or {closing}")
    return "\n".join([before + opening, *lines, closing + after])


def _tour() -> Iterator[str]:
    for title, code, name in TOUR:
        path = f"fixtures/{code}/{name}"
        program = read_program(ROOT / path, code)
        measured = ", ".join(f"{proof.measure} {proof.before} → {proof.after}" for proof in program.proofs)
        yield ""
        yield f"**{title}.** Measured on torch_xla, with the bug → without it: {measured}."
        yield ""
        yield from _shown(["check", "--select", code, path], "--isolated", "--quiet")
    yield ""
    yield "See what xlalint knows at a line:"
    yield ""
    yield from _shown(["state", STATE_AT], "--isolated")


def _shown(command: list[str], *hidden: str) -> Iterator[str]:
    """A command about one fixture program, and what it prints.

    Args:
        hidden: Options that make it the same everywhere.
    """
    yield "```console"
    yield f"$ xlalint {' '.join(command)}"
    yield _output(command, *hidden).strip()
    yield "```"


def _output(command: list[str], *hidden: str) -> str:
    """What a command about one fixture program prints.

    It runs where nothing but that program is: beside it, there is the whole checkout to analyze.
    """
    plain = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    plain.pop("FORCE_COLOR", None)
    subcommand, *arguments = command
    path = Path(arguments[-1].partition(":")[0])
    with tempfile.TemporaryDirectory(prefix="xlalint-") as folder:
        copy = Path(folder, path)
        copy.parent.mkdir(parents=True)
        copy.write_bytes((ROOT / path).read_bytes())
        done = subprocess.run(
            [sys.executable, "-m", "xlalint", subcommand, *hidden, *arguments],
            cwd=folder, env=plain, capture_output=True, text=True,
        )  # fmt: skip
    return done.stdout


def _table() -> Iterator[str]:
    yield from catalogue(all_rules(), lambda rule: f"{rule.name}.md")
    unproven = rules_without_proof()
    yield ""
    yield "Codes that have no page of their own:"
    yield ""
    yield from (f"- {code}: {what}" for code, what in WITHOUT_PAGE.items())
    yield ""
    yield (
        f"For {len(unproven)} of these {len(all_rules())} rules no harm is measured on torch_xla"
        + (f": {', '.join(unproven)}." if unproven else ".")
    )


if __name__ == "__main__":
    main()
