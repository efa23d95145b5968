"""The parts of the documentation that are made from the rules: `python tests/rule_documents.py` writes them.

A test holds that they are up to date.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fixture_programs import bad_programs, read_program
from xlalint.registry import all_rules, is_guarded
from xlalint.rule import Rule

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = ROOT / "docs" / "rules"
TOUR = (
    ("A checkpoint written by one replica", "XLA501", "rfc_checkpoint.py"),
    ("A loss that is logged in the middle of its step", "XLA101", "log_in_step.py"),
    ("A loop that is left early", "XLA203", "loss_below_target.py"),
    ("A step that ends inside a profiler scope", "XLA301", "rfc_marker_in_trace.py"),
    ("A step closure that is given a number", "XLA106", "resnet_closure.py"),
)
"""The five bugs of RFC #6751: a title, the rule, and the fixture program that shows it."""

STATE_AT = "fixtures/XLA101/log_in_step.py:38"
"""The line at which the README shows what xlalint knows."""


def main() -> None:
    """Write the pages of the rules and the table in README.md."""
    PAGES.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for stale in set(PAGES.glob("*.md")) - set(wanted):
        stale.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    README.write_text(made_anew(README.read_text(encoding="utf-8")), encoding="utf-8")


def pages() -> dict[Path, str]:
    """The page of every rule, by its path."""
    return {
        PAGES / f"{rule.name}.md": f"# {rule.code} {rule.name}\n\n{rule.documentation()}\n"
        for rule in all_rules()
    }


def made_anew(readme: str) -> str:
    """`readme` with what stands between its marks made from the rules and from what they say now.

    Raises:
        ValueError: a mark is missing.
    """
    return _between(_between(readme, "rules", _table()), "tour", _tour())


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
    """A command about one fixture program, and what it prints; `hidden` options make it the same everywhere.

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
    yield "```console"
    yield f"$ xlalint {' '.join(command)}"
    yield done.stdout.strip()
    yield "```"


def _table() -> Iterator[str]:
    yield "| code | name | severity | what it finds | runtime guard |"
    yield "|---|---|---|---|---|"
    for rule in all_rules():
        guard = "yes" if is_guarded(rule) else "no"
        default = "" if rule.enabled else " (off by default)"
        yield (
            f"| {rule.code} | [{rule.name}](docs/rules/{rule.name}.md) | {rule.severity}{default} "
            f"| {rule.summary()} | {guard} |"
        )
    unproven = rules_without_proof()
    yield ""
    yield (
        f"For {len(unproven)} of these {len(all_rules())} rules no harm is measured on torch_xla"
        + (f": {', '.join(unproven)}." if unproven else ".")
    )


if __name__ == "__main__":
    main()
