"""All settings: what each is called, how it is read, and what it means."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from xlalint.configuration import Framework
from xlalint.diagnostic import Severity
from xlalint.output.formats import FORMATS
from xlalint.sources.discovery import SETTINGS_FILES, Patterns
from xlalint.sources.file import read_bytes
from xlalint.versions import VersionRange, parse_range

FILE_NAMES = SETTINGS_FILES
"""Files that hold nothing but settings; the first of them wins."""
TABLE = "tool.xlalint"
FORMER = {"wrappers": "frameworks"}
"""Settings that have another name now."""
LEVELS = {str(severity): severity for severity in Severity}
NEVER = "never"
_CLAUSE = re.compile(r"\s*(===|==|~=|>=|<=|!=|>|<)?\s*(\d{1,9}(?:\.\d{1,9})*)\s*")


class Misplaced(ValueError):
    """A value in a table that cannot be read, under this key of it."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(reason)
        self.key = key


class Setting(NamedTuple):
    """One setting: how it is called, read, and explained."""

    key: str
    type: str
    default: str
    help: str
    read: Callable[[Any, Path], Any]

    @property
    def field(self) -> str:
        """The field of `Settings` that holds it."""
        return self.key.replace("-", "_")


def _strings(value: Any, base: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("must be a list of strings")
    return tuple(value)


def _patterns(value: Any, base: Path) -> Patterns:
    patterns = Patterns(base, _strings(value, base))
    patterns.check()
    return patterns


def _frameworks(value: Any, base: Path) -> tuple[Framework, ...]:
    return tuple(_framework(given, base) for given in _strings(value, base))


def _framework(given: str, base: Path) -> Framework:
    if not given.endswith(".py"):
        if not given.isidentifier():
            raise ValueError(f"{given!r} is neither the name of a package nor a file that ends with .py")
        return Framework(given, given)
    path = Path(os.path.abspath(base / given))  # noqa: PTH100 - keeps links
    data = read_bytes(str(path))
    if isinstance(data, str):
        raise ValueError(f"{given}: cannot read this file: {data}")
    try:
        text = data.decode("utf-8")
        ast.parse(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{given}: not valid Python: {error}") from error
    return Framework(given, path.stem, text or "\n", str(path))


def _flag(value: Any, base: Path) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _rules(value: Any, base: Path) -> tuple[str, ...]:
    from xlalint.registry import expand

    selectors = _strings(value, base)
    for selector in selectors:
        expand(selector)
    return selectors


def _selection(value: Any, base: Path) -> tuple[str, ...]:
    selectors = _rules(value, base)
    if not selectors:
        raise ValueError("selects no rule, so nothing would be checked; name rules, or leave it out")
    return selectors


def _version(value: Any, base: Path) -> VersionRange:
    if not isinstance(value, str):
        raise ValueError('must be a string such as "2.1..2.9"')
    return parse_range(value)


def _level(value: Any, base: Path) -> Severity:
    if not isinstance(value, str) or value not in LEVELS:
        raise ValueError(f"must be one of {_listed(LEVELS)}{nearest(value, LEVELS)}")
    return LEVELS[value]


def _fail_on(value: Any, base: Path) -> Severity | None:
    if value == NEVER:
        return None
    if not isinstance(value, str) or value not in LEVELS:
        choices = (*LEVELS, NEVER)
        raise ValueError(f"must be one of {_listed(choices)}{nearest(value, choices)}")
    return LEVELS[value]


def _format(value: Any, base: Path) -> str:
    if value not in FORMATS:
        raise ValueError(f"must be one of {_listed(FORMATS)}{nearest(value, FORMATS)}")
    return str(value)


def _per_file(value: Any, base: Path) -> tuple[tuple[Patterns, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise ValueError("must be a table from patterns to lists of rules")
    return tuple(_in_table(value, lambda key, rules: (_patterns([key], base), _rules(rules, base))))


def _severities(value: Any, base: Path) -> tuple[tuple[str, Severity], ...]:
    from xlalint.registry import expand

    if not isinstance(value, dict):
        raise ValueError("must be a table from rules to severities")
    rows = _in_table(value, lambda key, level: (expand(key), _level(level, base), len(key)))
    # The longer a prefix is, the more it counts, wherever it stands.
    rows.sort(key=lambda row: row[2])
    return tuple({rule.code: level for rules, level, _ in rows for rule in rules}.items())


def _in_table(table: dict[str, Any], read: Callable[[str, Any], Any]) -> list[Any]:
    """What is read of each row of a table.

    Raises:
        Misplaced: one of them cannot be read.
    """
    rows = []
    for key, value in table.items():
        try:
            rows.append(read(key, value))
        except ValueError as error:
            raise Misplaced(key, str(error)) from error
    return rows


def _file(value: Any, base: Path) -> Path:
    if not isinstance(value, str) or not value:
        raise ValueError("must be the path of a file with settings")
    return Path(os.path.abspath(base / Path(value).expanduser()))  # noqa: PTH100 - keeps links


def _requirement(value: Any, base: Path) -> str:
    if not isinstance(value, str) or not all(map(_CLAUSE.fullmatch, value.split(","))):
        raise ValueError('must be a version or a range of versions, such as "0.1" or ">=0.1,<0.3"')
    return value


def allows(requirement: str, version: str) -> bool:
    """Whether a version of xlalint is one of those that the setting `required-version` names."""
    have = _numbers(re.match(r"[\d.]*", version)[0])  # type: ignore[index]
    for clause in filter(None, map(_CLAUSE.fullmatch, requirement.split(","))):
        operator, wanted = clause[1] or "==", _numbers(clause[2])
        if operator == "~=":
            prefix = len(clause[2].split(".")) - 1
            holds = have >= wanted and have[:prefix] == wanted[:prefix]
        else:
            holds = {
                "==": have == wanted, "===": have == wanted, "!=": have != wanted, ">=": have >= wanted,
                "<=": have <= wanted, ">": have > wanted, "<": have < wanted,
            }[operator]  # fmt: skip
        if not holds:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, with zeros where it has fewer than most."""
    numbers = [int(part) for part in version.split(".") if part]
    return (*numbers, *[0] * (4 - len(numbers)))


SETTINGS = (
    Setting(
        "extend", "path of a file", "none",
        "Take the settings of this file where these say nothing; it may extend another.", _file,
    ),
    Setting(
        "required-version", "version or range", "any",
        'Refuse to run another version of xlalint: ">=0.1,<0.3".', _requirement,
    ),
    Setting(
        "select", "list of rules", "the rules that are on by default",
        "Use only these rules: codes, prefixes of codes, names, or ALL.", _selection,
    ),
    Setting("ignore", "list of rules", "[]", "Turn these rules off.", _rules),
    Setting("extend-select", "list of rules", "[]", "Turn these rules on as well.", _rules),
    Setting(
        "target-version", "version or range", "what the project requires, else 2.9",
        'Versions of torch_xla that the code must support: "2.1..2.9", or "2.5" for 2.5 and later.', _version,
    ),
    Setting(
        "exclude", "list of patterns", "directories of tools and builds",
        "Exclude these patterns instead of the defaults; they are written as in a .gitignore.", _patterns,
    ),
    Setting("extend-exclude", "list of patterns", "[]", "Exclude these patterns as well.", _patterns),
    Setting("respect-gitignore", "boolean", "true", "Skip files that git ignores.", _flag),
    Setting(
        "fail-on", "error, warning, info or never", '"warning"',
        "Exit with 1 for diagnostics of this severity or a higher one.", _fail_on,
    ),
    Setting(
        "min-severity", "error, warning or info", '"info"',
        "Report no diagnostics of a lower severity, and fix none.", _level,
    ),
    Setting("preview", "boolean", "false", "Allow preview rules to be selected.", _flag),
    Setting(
        "output-format", f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}", '"text"', "Format of the report.",
        _format,
    ),
    Setting(
        "per-file-ignores", "table", "{}",
        'Turn rules off in some files: "tests/**" = ["XLA102"].', _per_file,
    ),
    Setting(
        "severity", "table", "{}",
        'Change the severity of rules, by codes, prefixes of codes or names: XLA102 = "error".', _severities,
    ),
    Setting(
        "frameworks", "list of packages and files", "[]",
        "What else brings XLA: packages, whose importers are analyzed as if they imported torch_xla; "
        "and files such as stubs/mytrainer.py, which say what a framework does.", _frameworks,
    ),
    Setting(
        "other-backends", "list of names", "[]",
        "Names in your code that are never true on XLA; code under them is skipped: is_cuda_run.", _strings,
    ),
    Setting("fixable", "list of rules", "all", "Let --fix change code for these rules only.", _rules),
    Setting("unfixable", "list of rules", "[]", "Never change code for these rules.", _rules),
    Setting(
        "extend-safe-fixes", "list of rules", "[]", "Apply the fixes of these rules without --unsafe-fixes.",
        _rules,
    ),
    Setting(
        "extend-unsafe-fixes", "list of rules", "[]",
        "Apply the fixes of these rules only with --unsafe-fixes.", _rules,
    ),
)  # fmt: skip


def nearest(word: object, words: Mapping[str, object] | tuple[str, ...]) -> str:
    """`; did you mean ...?`, or nothing where no word is near."""
    import difflib

    near = difflib.get_close_matches(word, list(words), n=1) if isinstance(word, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def _listed(words: Mapping[str, object] | tuple[str, ...]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}"
