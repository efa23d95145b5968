"""The parts of the documentation that are made from the rules: `python tests/rule_documents.py` writes them.

A test holds that they are up to date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fixture_programs import bad_programs
from xlalint.registry import all_rules
from xlalint.rule import Rule

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = ROOT / "docs" / "rules"
BEGIN, END = "<!-- rules: begin -->", "<!-- rules: end -->"


def main() -> None:
    """Write the pages of the rules and the table in README.md."""
    PAGES.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for stale in set(PAGES.glob("*.md")) - set(wanted):
        stale.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")


def pages() -> dict[Path, str]:
    """The page of every rule, by its path."""
    return {
        PAGES / f"{rule.name}.md": f"# {rule.code} {rule.name}\n\n{rule.documentation()}\n"
        for rule in all_rules()
    }


def with_table(readme: str) -> str:
    """`readme` with the table of rules between its two marks.

    Raises:
        ValueError: a mark is missing.
    """
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"README.md lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n{chr(10).join(_table())}\n{END}{after}"


def example(rule: type[Rule], heading: str) -> str | None:
    """The Python code under `heading` in the documentation of `rule`."""
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", rule.documentation(), re.M | re.S)
    code = re.search(r"^```python\n(.*?)^```", section[1], re.M | re.S) if section else None
    return code[1] if code else None


def rules_without_proof() -> list[str]:
    """Codes of the rules of which no fixture program shows a measured harm on the engine."""
    proven = {program.code for program in bad_programs() if program.proofs and not program.no_proof}
    return [rule.code for rule in all_rules() if rule.code not in proven]


def _table() -> Iterator[str]:
    yield "| code | name | severity | what it finds | judged from |"
    yield "|---|---|---|---|---|"
    for rule in all_rules():
        observers = "source, engine" if rule.guarded else "source"
        default = "" if rule.enabled else " (off by default)"
        yield (
            f"| {rule.code} | [{rule.name}](docs/rules/{rule.name}.md) | {rule.severity}{default} "
            f"| {rule.summary()} | {observers} |"
        )
    unproven = rules_without_proof()
    yield ""
    yield (
        f"Of these {len(all_rules())} rules, {len(unproven)} are not proven on the engine"
        + (f": {', '.join(unproven)}." if unproven else ".")
    )


if __name__ == "__main__":
    main()
