"""The settings, the files that they are read from, and which of them hold for a directory."""

from __future__ import annotations

import ast
import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from xlalint.configuration import Framework
from xlalint.diagnostic import Severity
from xlalint.output.formats import FORMATS
from xlalint.sources.discovery import DEFAULT_EXCLUDES, Patterns
from xlalint.sources.file import read_bytes, show
from xlalint.sources.project import load_toml
from xlalint.versions import VersionRange, parse_range

FILE_NAME = "xlalint.toml"
TABLE = "tool.xlalint"
FORMER = {"wrappers": "frameworks"}
"""Settings that have another name now."""
LEVELS = {str(severity): severity for severity in Severity}
NEVER = "never"


class SettingsError(ValueError):
    """Settings that cannot be used; the message names the file and what is wrong."""


@dataclass(frozen=True)
class Settings:
    """All settings, for one directory and what lies below it.

    Args:
        base: The directory that patterns are relative to.
        file: Where the settings were read from; None: nothing but defaults.
        select: What to select instead of the rules that are on by default; None: those.
        target_version: None: what the project itself says, else the last release.
        fail_on: The lowest severity that makes the command fail; None: none does.
        fixable: The rules that may be fixed; None: all.
    """

    base: Path
    file: Path | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    target_version: VersionRange | None = None
    exclude: Patterns | None = None
    extend_exclude: Patterns | None = None
    respect_gitignore: bool = True
    fail_on: Severity | None = Severity.WARNING
    preview: bool = False
    output_format: str = "text"
    per_file_ignores: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    frameworks: tuple[Framework, ...] = ()
    other_backends: tuple[str, ...] = ()
    fixable: tuple[str, ...] | None = None
    unfixable: tuple[str, ...] = ()
    extend_safe_fixes: tuple[str, ...] = ()
    extend_unsafe_fixes: tuple[str, ...] = ()

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages that bring XLA to files that import them, beside torch_xla."""
        return tuple(framework.name for framework in self.frameworks if not framework.text)

    @property
    def stubs(self) -> tuple[Framework, ...]:
        """The frameworks of which a program says what they do."""
        return tuple(framework for framework in self.frameworks if framework.text)

    @property
    def excludes(self) -> tuple[Patterns, ...]:
        """All patterns of files to exclude."""
        first = self.exclude or Patterns(self.base, DEFAULT_EXCLUDES)
        return (first, self.extend_exclude) if self.extend_exclude else (first,)


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
    return tuple((_patterns([pattern], base), _rules(rules, base)) for pattern, rules in value.items())


def _severities(value: Any, base: Path) -> tuple[tuple[str, Severity], ...]:
    from xlalint.registry import find

    if not isinstance(value, dict):
        raise ValueError("must be a table from rules to severities")
    return tuple((find(rule).code, _level(level, base)) for rule, level in value.items())


SETTINGS = (
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
        "severity", "table", "{}", 'Change the severity of rules: XLA102 = "error".', _severities
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


class SettingsFinder:
    """Finds the settings that hold for a directory, and remembers them for one command."""

    def __init__(
        self, *, config: Path | None = None, isolated: bool = False, given: Mapping[str, Any] | None = None
    ) -> None:
        """
        Args:
            config: The one file to read, instead of those around the directories.
            isolated: Whether to read none.
            given: Fields of `Settings` that the command line sets, whatever files say.

        Raises:
            SettingsError: `config` cannot be used.
        """
        self._given = dict(given or {})
        self._found: dict[Path, Settings] = {}
        self._fixed: Settings | None = None
        if config is not None:
            self._fixed = self._override(read_settings(config))
        elif isolated:
            self._fixed = self._override(Settings(Path.cwd()))

    def at(self, directory: Path) -> Settings:
        """The settings that hold in `directory`: those of the nearest file around it.

        Raises:
            SettingsError: that file cannot be used.
        """
        if self._fixed is not None:
            return self._fixed
        unknown: list[Path] = []
        for around in (directory, *directory.parents):
            if around in self._found:
                settings = self._found[around]
                break
            unknown.append(around)
            own = settings_in(around)
            if own is not None:
                settings = self._override(own)
                break
        else:
            settings = self._override(Settings(Path.cwd()))
        self._found.update(dict.fromkeys(unknown, settings))
        return settings

    def _override(self, settings: Settings) -> Settings:
        return dataclasses.replace(settings, **self._given) if self._given else settings


def settings_in(directory: Path) -> Settings | None:
    """The settings that stand in this very directory: in xlalint.toml, else in pyproject.toml.

    Raises:
        SettingsError: they cannot be used.
    """
    own = directory / FILE_NAME
    if os.path.lexists(own):  # whatever it is: nobody else's file is called like this
        return read_settings(own)
    shared = directory / "pyproject.toml"
    data = read_bytes(str(shared))
    # Most pyproject.toml do not speak of us; reading them as TOML would cost more than the check. One
    # that cannot be read is most likely not ours either.
    if isinstance(data, str) or b"xlalint" not in data:
        return None
    return read_settings(shared) if _table(_document(shared)) is not None else None


def read_settings(file: Path) -> Settings:
    """The settings in one file; a pyproject.toml holds them in its table `tool.xlalint`.

    Raises:
        SettingsError: the file cannot be read, or holds something that is no setting.
    """
    file = file.absolute()
    table = _document(file)
    where = show(file)
    if file.name == "pyproject.toml":
        table = _table(table) or {}
        where = f"{where}, [{TABLE}]"
    return Settings(file.parent, file, **read_table(table, file.parent, where))


def read_table(table: Mapping[str, object], base: Path, where: str) -> dict[str, Any]:
    """The fields of `Settings` that a table sets, by the keys of xlalint.toml.

    Args:
        base: The directory that patterns and files in it are relative to.
        where: What to call the table in a message.

    Raises:
        SettingsError: it holds something that is no setting.
    """
    known = {setting.key: setting for setting in SETTINGS}
    fields: dict[str, Any] = {}
    for key, value in table.items():
        setting = known.get(key)
        if setting is None:
            meant = f"; it is called {FORMER[key]!r} now" if key in FORMER else nearest(key, known)
            raise SettingsError(f"{where}: unknown setting {key!r}{meant}")
        try:
            fields[setting.field] = setting.read(value, base)
        except ValueError as error:
            raise SettingsError(f"{where}: {key}: {error}") from error
    return fields


def as_toml(settings: Settings) -> Iterator[str]:
    """The settings as lines that could stand in xlalint.toml."""
    tables = []
    for setting in SETTINGS:
        value = getattr(settings, setting.field)
        if setting.field == "exclude":
            value = settings.excludes[0]
        if setting.field == "frameworks":
            value = tuple(framework.given for framework in settings.frameworks)
        if (
            isinstance(value, tuple)
            and not isinstance(value, VersionRange)
            and value
            and isinstance(value[0], tuple)
        ):
            tables.append((setting.key, value))
        elif value is None and setting.field != "fail_on":
            yield f"# {setting.key}: {setting.default}"
        elif not (value == () and setting.type == "table"):
            yield f"{setting.key} = {_toml(value)}"
    for key, rows in tables:
        yield f"\n[{key}]"
        for name, value in rows:
            yield f"{_toml(name.lines[0] if isinstance(name, Patterns) else name)} = {_toml(value)}"


def nearest(word: object, words: Mapping[str, object] | tuple[str, ...]) -> str:
    """`; did you mean ...?`, or nothing where no word is near."""
    import difflib

    near = difflib.get_close_matches(word, list(words), n=1) if isinstance(word, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def _document(file: Path) -> dict[str, Any]:
    data = read_bytes(str(file))
    if isinstance(data, str):
        raise SettingsError(f"{show(file)}: cannot read this file: {data}")
    try:
        return load_toml(data.decode("utf-8"))
    except ValueError as error:
        raise SettingsError(f"{show(file)}: not valid TOML: {error}") from error


def _table(document: dict[str, Any]) -> dict[str, Any] | None:
    tools = document.get("tool")
    table = tools.get("xlalint") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None


def _listed(words: Mapping[str, object] | tuple[str, ...]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}"


def _toml(value: Any) -> str:
    import json

    if value is None:
        return f'"{NEVER}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Patterns):
        value = value.lines
    if isinstance(value, tuple) and not isinstance(value, VersionRange):
        return json.dumps(list(value), ensure_ascii=False)
    return json.dumps(str(value), ensure_ascii=False)
