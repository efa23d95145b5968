"""The command line: the only place that prints and exits."""

# `pathlib` raises where a directory may not be entered, and `os.path` says that there is nothing;
# its `resolve` follows links, and `abspath` does not.
# ruff: noqa: PTH100, PTH110, PTH112, PTH113

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from xlalint.checker import Report
    from xlalint.fixing.fixer import Outcome
    from xlalint.output.paint import Line
    from xlalint.rule import Rule
    from xlalint.settings import Settings, SettingsFinder
    from xlalint.units import Input

FORMATS = ("text", "concise", "json")
LEVELS = ("error", "warning", "info", "never")
COLORS = ("auto", "always", "never")
_ASCII = str.maketrans({"│": "|", "⋮": ":", "█": "#", "▒": "+", "·": ".", "…": "~", "┌": "-"})


class Failure(click.ClickException):
    """The command could not do what it was asked: exit code 2, as for wrong usage."""

    exit_code = 2


class _Commands(click.Group):
    """The command; every failure ends in a message, never in a traceback."""

    def invoke(self, context: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal may lack characters of the code
        try:
            return super().invoke(context)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            raise click.exceptions.Exit(130) from None
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise Failure(_internal(error)) from error
            raise _unwritable(error) from error  # click prints the help of a command on its own
        except Exception as error:
            raise Failure(_internal(error)) from error


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)  # fmt: skip
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, help="Show the version and exit.",
    callback=lambda *asked: _print_version(*asked),
)  # fmt: skip
def command() -> None:
    """Find bugs and slow steps in PyTorch/XLA programs without running them.

    Start with `xlalint check`, then run `xlalint rule CODE` for a code that it reports.
    """


def main() -> None:
    """The entry point of `xlalint`."""
    try:
        command(prog_name="xlalint")
    except OSError as error:  # of click, which prints the help and wrong usage on its own
        failure = _unwritable(error)
        with suppress(OSError):  # standard error may be full, too
            failure.show()
        sys.exit(failure.exit_code)


def _color_option(function: Any) -> Any:
    return click.option(
        "--color",
        type=click.Choice(COLORS),
        default="auto",
        help="Use colours.",
        show_default=True,
    )(function)


def _config_options(function: Any) -> Any:
    function = click.option("--isolated", is_flag=True, help="Ignore all settings files.")(function)
    return click.option(
        "--config", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
        help="Read settings from FILE and from no other file.",
    )(function)  # fmt: skip


@command.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--select", multiple=True, metavar="RULES", help="Use only these rules: codes, prefixes, names or ALL."
)
@click.option("--ignore", multiple=True, metavar="RULES", help="Turn these rules off.")
@click.option("--extend-select", multiple=True, metavar="RULES", help="Turn these rules on as well.")
@click.option(
    "--target-version",
    metavar="RANGE",
    help="Versions of torch_xla that the code must support: 2.1..2.9, or 2.5 for 2.5 and later.",
)
@click.option("--output-format", type=click.Choice(FORMATS), help="Format of the report.  [default: text]")
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the report to FILE.",
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERNS", help="Exclude these patterns instead of the defaults."
)
@click.option("--extend-exclude", multiple=True, metavar="PATTERNS", help="Exclude these patterns as well.")
@click.option(
    "--force-exclude", is_flag=True, help="Exclude matching files even if they are named on the command line."
)
@click.option(
    "--respect-gitignore/--no-respect-gitignore",
    default=None,
    help="Skip files that git ignores.  [default: yes]",
)
@_config_options
@click.option("--fix", is_flag=True, help="Change the code, where that changes nothing that it computes.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix, --fix-only or --diff: also where it may change what the code computes, or when.",
)
@click.option("--fix-only", is_flag=True, help="As --fix, but do not report what is left.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--show-fixes", is_flag=True, help="List what was fixed, and what was not and why.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option(
    "--cache-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the cache in DIR instead of .xlalint_cache in each project.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are diagnostics.")
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    help="Exit with 1 for diagnostics of this severity or a higher one.  [default: warning]",
)
@click.option("--preview", is_flag=True, default=None, help="Allow preview rules to be selected.")
@click.option(
    "--statistics",
    is_flag=True,
    help="Show how many diagnostics each rule reports, instead of the diagnostics.",
)
@click.option("--show-files", is_flag=True, help="List the files that would be checked, and check none.")
@click.option(
    "--show-settings", is_flag=True, help="Print the settings for the first path, and check nothing."
)
@_color_option
@click.option("--stdin-filename", metavar="NAME", help="Name to report for standard input (the path -).")
@click.option("-q", "--quiet", is_flag=True, help="Print only diagnostics.")
@click.option("-v", "--verbose", is_flag=True, help="Print on standard error how much was analyzed.")
def check(
    paths: tuple[Path, ...],
    *,
    output_file: Path | None,
    force_exclude: bool,
    config: Path | None,
    isolated: bool,
    fix: bool,
    unsafe_fixes: bool,
    fix_only: bool,
    diff: bool,
    show_fixes: bool,
    exit_non_zero_on_fix: bool,
    no_cache: bool,
    cache_dir: Path | None,
    exit_zero: bool,
    statistics: bool,
    show_files: bool,
    show_settings: bool,
    color: str,
    stdin_filename: str | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Check files and directories (default: the working directory).

    The path - stands for standard input; with --fix, the fixed text goes to standard output and the
    report to standard error. The exit status is 0 without diagnostics of the severity --fail-on or
    higher, 1 with some, and 2 after wrong usage, wrong settings or an internal error. With --diff it is
    1 if anything would change.
    """
    from xlalint import checker, units
    from xlalint.cache import Cache

    finder = _finder(config, isolated, _given(options))
    paths, reads_input = _sort_out(paths, stdin_filename)
    with _failures():
        settings = finder.at(_directory(paths[0] if paths else Path(stdin_filename or ".")))
        if show_settings:
            _print_settings(settings)
            return
        if show_files:
            from xlalint.sources.file import show

            for found in units.find_files(paths, finder, force_exclude=force_exclude):
                _echo(f"{show(Path(found.path))}\n")
            return
        given = units.Input(stdin_filename, _standard_input()) if reads_input else None
        with _without_collector():
            cache = None if no_cache else Cache(cache_dir and cache_dir.absolute())

            def run(texts: Mapping[str, bytes]) -> Report:
                return checker.check(
                    paths, finder, force_exclude=force_exclude, standard_input=given, cache=cache, texts=texts
                )

            outcome = None
            if fix or fix_only or diff:
                from xlalint.fixing.fixer import fix as fixed

                outcome = fixed(run, lambda path: finder.at(Path(path).parent), given, unsafe=unsafe_fixes)
                if diff:
                    _print_diffs(outcome)
                else:
                    _write_fixes(outcome, given)
                if not quiet:
                    _print_fixes(outcome, color, written=not diff, listed=show_fixes)
            report = run({}) if outcome is None else outcome.report
            failed = outcome is not None and bool(outcome.after) and (diff or exit_non_zero_on_fix)
            if not (diff or fix_only):
                _print_report(
                    report, settings.output_format, output_file, color, statistics=statistics, quiet=quiet,
                    on_error=outcome is not None and given is not None,
                )  # fmt: skip
                failing = settings.fail_on
                failed |= failing is not None and any(d.severity >= failing for d in report.diagnostics)
    if not report.files and not quiet:
        click.echo("xlalint: no Python files found", err=True)
    if verbose:
        _print_counts(report)
    if failed and not exit_zero:
        raise click.exceptions.Exit(1)


@command.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--target-version", metavar="RANGE", help="Versions of torch_xla that the code must support afterwards."
)
@click.option("--safe-only", is_flag=True, help="Change only what cannot change what the code computes.")
@click.option("--allow-dirty", is_flag=True, help="Go on although there are changes that are not committed.")
@click.option("--diff", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--commit", is_flag=True, help="Commit the changes, those of each rule by themselves.")
@_config_options
@_color_option
def migrate(
    paths: tuple[Path, ...], *, target_version: str | None, safe_only: bool, allow_dirty: bool, diff: bool,
    commit: bool, config: Path | None, isolated: bool, color: str,
) -> None:  # fmt: skip
    """Bring code to the present torch_xla: its names, step scopes, and profiling.

    Changes what `xlalint check --fix --unsafe-fixes` would, says what may come out otherwise, and lists
    what is left to be done by hand. Files with changes that are not committed are refused, so that
    `git diff` shows what was done.
    """
    from xlalint import checker
    from xlalint.cache import Cache
    from xlalint.fixing import repository
    from xlalint.fixing.fixer import Outcome, fix, migrated
    from xlalint.output.fixes import left_by_hand

    paths, reads_input = _sort_out(paths, None)
    if reads_input:
        raise click.UsageError("standard input cannot be migrated; use `xlalint check --fix -`")
    repositories = repository.roots([Path(os.path.abspath(path)) for path in paths])
    if commit and (diff or not repositories):
        raise click.UsageError(
            "--commit needs files in a git repository" + (", and no --diff" if diff else "")
        )
    if not (allow_dirty or diff):
        _refuse_changed(repositories)
    given = {**_given({"target_version": target_version}), "select": migrated(), "preview": True}
    finder = _finder(config, isolated, given)

    def settings(path: str) -> Settings:
        return finder.at(Path(path).parent)

    def run(texts: Mapping[str, bytes]) -> Report:
        return checker.check(paths, finder, cache=Cache(), texts=texts)

    with _failures(), _without_collector():
        outcomes: list[Outcome] = []
        for code in migrated() if commit else (None,):
            outcome = fix(run, settings, unsafe=not safe_only, code=code)
            outcomes.append(outcome)
            if diff:
                _print_diffs(outcome)
                continue
            _write_fixes(outcome, None)
            if commit and code is not None:
                _commit(repositories, outcome, code)
    report = outcomes[-1].report
    applied = [one for outcome in outcomes for one in outcome.applied]
    _print_fixes(Outcome(report, {}, {}, applied, outcomes[-1].left), color, written=not diff, listed=True)
    _print([*left_by_hand(report.diagnostics)], color)


def _refuse_changed(repositories: list[Path]) -> None:
    from xlalint.fixing.repository import changed

    for root in repositories:
        files = changed(root)
        if files:
            more = f" and {len(files) - 1} more" if len(files) > 1 else ""
            raise Failure(
                f"{root} has changes that are not committed ({files[0]}{more}); commit or stash them, so "
                "that you can tell them from ours, or use --allow-dirty"
            )


def _commit(repositories: list[Path], outcome: Outcome, code: str) -> None:
    from xlalint.fixing.repository import GitError, commit

    rule = _find_rule(code)
    for root in repositories:
        files = [path for path in outcome.after if Path(path).is_relative_to(root)]
        if files:
            try:
                commit(root, files, f"{code} {rule.name}: {outcome.applied[0].cure.title}")
            except GitError as error:
                raise Failure(f"the files are changed, but git refused to commit them: {error}") from error


@command.command()
@click.argument("selector", metavar="CODE|NAME")
@_color_option
def rule(selector: str, color: str) -> None:
    """Explain a rule: the harm, the reason and the fix."""
    from xlalint.registry import is_guarded

    found = _find_rule(selector)
    colored = _is_colored(color)
    stage = "" if found.stage.value == "stable" else f", {found.stage.value}"
    facts = [
        f"{found.severity}{stage}, since {found.since}",
        "on by default" if found.enabled else "off by default",
        "found by reading the source, and by the runtime guard"
        if is_guarded(found)
        else "found by reading the source",
    ]
    if found.aliases:
        facts.append(f"formerly {', '.join(found.aliases)}")
    text = f"# {found.code} {found.name}\n\n{'; '.join(facts)}\n\n{found.documentation()}\n"
    if not colored:
        _echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    with _writing():
        Console(force_terminal=True).print(Markdown(text))


@command.command()
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
@_color_option
def rules(output_format: str, color: str) -> None:
    """List all rules."""
    from xlalint.registry import all_rules

    known = all_rules()
    if output_format == "json":
        import json

        _echo(json.dumps([_rule_as_json(rule) for rule in known], indent=2) + "\n")
        return
    from xlalint.output.paint import Span

    longest = max((len(rule.name) for rule in known), default=0)
    lines: list[Line] = [
        [
            Span(rule.code, "bold"),
            Span(f"  {rule.name:<{longest}}  "),
            Span(
                f"{rule.severity!s:<7}", {"error": "red", "warning": "yellow"}.get(str(rule.severity), "cyan")
            ),
            Span(f"  {'on ' if rule.enabled else 'off'}"),
            Span(f"  {rule.stage.value}" if rule.stage.value != "stable" else ""),
        ]
        for rule in known
    ]
    _print(lines, color)


@command.command()
@click.argument("key", required=False)
def config(key: str | None) -> None:
    """List all settings, or explain one."""
    from xlalint.settings import FILE_NAME, SETTINGS, TABLE, nearest

    if key is None:
        longest = max(len(setting.key) for setting in SETTINGS)
        for setting in SETTINGS:
            _echo(f"{setting.key:<{longest}}  {setting.help}\n")
        _echo(f"\nWrite them in {FILE_NAME}, or in pyproject.toml under [{TABLE}]; the nearest file wins.\n")
        return
    known = {setting.key: setting for setting in SETTINGS}
    if key not in known:
        raise click.UsageError(f"unknown setting {key!r}{nearest(key, known)}")
    setting = known[key]
    _echo(f"{setting.key}\n  {setting.help}\n  type: {setting.type}\n  default: {setting.default}\n")


@command.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--cache-dir", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Delete the cache in DIR instead of those in the projects.",
)  # fmt: skip
def clean(paths: tuple[Path, ...], cache_dir: Path | None) -> None:
    """Delete the caches of the projects that PATHS belong to (default: the working directory)."""
    from xlalint.cache import Cache
    from xlalint.sources.file import show
    from xlalint.units import projects_of

    cache = Cache(cache_dir and cache_dir.absolute())
    try:
        gone = cache.clean(projects_of(paths or (Path(),)))
    except OSError as error:
        raise Failure(f"cannot delete {error.filename}: {(error.strerror or str(error)).lower()}") from error
    for folder in gone:
        _echo(f"deleted {show(folder)}\n")
    if not gone:
        _echo("no cache found\n")


@command.command()
def version() -> None:
    """Print the version, and whether the analysis is compiled."""
    _echo(_version())


@command.command()
@click.argument("place", metavar="FILE[:LINE]")
@click.option("--target-version", metavar="RANGE", help="Versions of torch_xla that the code must support.")
@_config_options
@_color_option
def state(place: str, target_version: str | None, config: Path | None, isolated: bool, color: str) -> None:
    """Show what xlalint knows at each line of a file.

    With LINE, show everything about that line. This is what the rules see: which operations
    torch_xla has recorded and not yet run, which scopes are open, and which replicas get there.
    A legend explains the words.
    """
    from xlalint.analysis.parsing import parse_file
    from xlalint.output.state import details, overview
    from xlalint.sources.file import SourceFile, Unreadable, read
    from xlalint.units import gather

    path, line = _split_place(place)
    finder = _finder(config, isolated, _given({"target_version": target_version}))
    with _failures():
        settings = finder.at(_directory(path))
    file = read(path, settings.packages)
    tree = parse_file(file) if isinstance(file, SourceFile) else file
    if isinstance(tree, Unreadable):
        raise Failure(f"{tree.shown}: {tree.reason}")
    assert isinstance(file, SourceFile)
    if line is not None and not 0 < line <= len(file.lines):
        raise Failure(f"{file.shown} has no line {line}: it ends at line {len(file.lines)}")
    from xlalint.analysis.engine import trace
    from xlalint.findings import program_of
    from xlalint.stack import on_large_stack

    with _without_collector(), _failures():
        (unit,) = gather([path], finder).units
        states = on_large_stack(lambda: trace(program_of(unit), file))
    _print(overview(file, states) if line is None else details(file, states, line), color)


@command.command()
@click.argument("selector", metavar="CODE|NAME")
def prove(selector: str) -> None:
    """Measure the harm that a rule describes.

    Runs the example programs of the rule on torch_xla and prints what was measured. Needs a
    checkout of xlalint, torch and torch_xla.
    """
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found = _find_rule(selector)
    if find_spec("torch_xla") is None:
        import platform

        raise Failure(_why_no_engine(platform.system(), platform.machine(), sys.version_info[:2]))
    entries = [entry for entry in entry_points(group="xlalint.guard") if entry.name == "prove"]
    if not entries:
        raise Failure("this installation is incomplete (no xlalint.guard entry point); reinstall xlalint")
    raise click.exceptions.Exit(entries[0].load()(found.code))


def _sort_out(paths: tuple[Path, ...], stdin_filename: str | None) -> tuple[tuple[Path, ...], bool]:
    """The paths without `-`, and whether it was among them."""
    reads_input = Path("-") in paths
    if stdin_filename is not None and not reads_input:
        raise click.UsageError("--stdin-filename works only with the path -, which stands for standard input")
    files = tuple(path for path in paths if path != Path("-")) if paths else (Path(),)
    for path in files:
        if _is_missing(path):
            raise click.UsageError(f"there is no file or directory {str(path)!r}")
    notebooks = [path for path in files if path.suffix == ".ipynb" and os.path.isfile(path)]
    for path in notebooks:
        click.echo(f"xlalint: skipped {path}: notebooks are not supported yet", err=True)
    return tuple(path for path in files if path not in notebooks), reads_input


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise Failure("cannot read standard input, which the path - stands for: it is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise Failure(f"cannot read standard input: {_reason(error)}") from error


def _is_missing(path: Path) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # whoever reads it says what is wrong
    return False


def _directory(path: Path) -> Path:
    absolute = Path(os.path.abspath(path))
    return absolute if os.path.isdir(absolute) else absolute.parent


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The fields of `Settings` that the command line sets."""
    from xlalint.settings import SETTINGS

    base = _working_directory()
    given: dict[str, Any] = {}
    for setting in SETTINGS:
        value = options.get(setting.field)
        if value is None or value == ():
            continue
        if isinstance(value, tuple):
            value = [word.strip() for text in value for word in text.split(",") if word.strip()]
        try:
            given[setting.field] = setting.read(value, base)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint=f"'--{setting.key}'") from error
    return given


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise Failure("the working directory is gone or cannot be reached; change to another one") from error


def _finder(config: Path | None, isolated: bool, given: dict[str, Any]) -> SettingsFinder:
    from xlalint.settings import SettingsFinder

    if config is not None and isolated:
        raise click.UsageError("use either --config or --isolated, not both")
    with _failures():
        return SettingsFinder(config=config, isolated=isolated, given=given)


@contextmanager
def _failures() -> Iterator[None]:
    """Turn an error in the settings into a message."""
    from xlalint.settings import SettingsError

    try:
        yield
    except SettingsError as error:
        raise Failure(str(error)) from error


@contextmanager
def _without_collector() -> Iterator[None]:
    """Collect no garbage: the process ends before that would pay."""
    import gc

    was_enabled = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.freeze()  # the process ends soon, so nothing is gained by collecting what the check leaves behind
        if was_enabled:
            gc.enable()


def _version() -> str:
    from importlib.metadata import version as installed

    from xlalint.lazy import state

    build = "pure Python" if str(state.__file__).endswith(".py") else "compiled"
    return f"xlalint {installed('xlalint')} ({build})\n"


def _print_version(context: click.Context, option: click.Parameter, asked: bool) -> None:
    if asked:
        _echo(_version())
        context.exit()


def _find_rule(selector: str) -> type[Rule[Any]]:
    from xlalint.registry import UnknownRule, find

    try:
        return find(selector)
    except UnknownRule as error:
        raise click.UsageError(str(error)) from error


def _rule_as_json(rule: type[Rule[Any]]) -> dict[str, object]:
    from xlalint.registry import is_guarded

    return {
        "code": rule.code,
        "name": rule.name,
        "severity": str(rule.severity),
        "stage": rule.stage.value,
        "since": rule.since,
        "enabled": rule.enabled,
        "guarded": is_guarded(rule),
        "summary": rule.summary(),
        "url": rule.url(),
    }


def _print_report(
    report: Report, form: str, file: Path | None, color: str, *, statistics: bool, quiet: bool,
    on_error: bool = False,
) -> None:  # fmt: skip
    """Args: on_error: whether it goes to standard error instead of standard output."""
    found = report.diagnostics
    if form == "json":
        from xlalint.output import json

        text = json.statistics(found) if statistics else json.render(found)
    else:
        from xlalint.output import text as layout
        from xlalint.output.paint import paint

        if statistics:
            lines = [*layout.statistics(found)]
        else:
            columns = _columns(layout.COLUMNS) if file is None else layout.COLUMNS
            full = layout.full(found, report.sources, columns)
            lines = [*(full if form == "text" else layout.concise(found))]
        if not quiet:
            lines += layout.summary(
                found, report.files, report.hot, report.suppressed, report.bounds, report.passed_over
            )
        colored = file is None and _is_colored(color)
        text = paint(lines, colored=colored, linked=colored and _is_terminal())
    if file is None:
        click.echo(text, err=True, nl=False) if on_error else _echo(text)
        return
    try:
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Failure(f"cannot write {file}: {_reason(error)}") from error


def _print_diffs(outcome: Outcome) -> None:
    from xlalint.output.fixes import diff
    from xlalint.sources.file import show

    for path, after in sorted(outcome.after.items()):
        before, now = (text.decode("utf-8", "replace") for text in (outcome.before[path], after))
        _echo("".join(diff(show(Path(path)), before, now)))


def _write_fixes(outcome: Outcome, given: Input | None) -> None:
    """Change the files, as far as that is possible; what came on standard input goes to standard output.

    Raises:
        Failure: some were left as they were.
    """
    from xlalint.fixing.writing import Unwritten, replace
    from xlalint.sources.file import show

    if given is not None:
        with _writing():
            sys.stdout.buffer.write(outcome.after.pop(given.path, given.data))
    written: list[str] = []
    unwritten: list[str] = []
    try:
        for path, after in sorted(outcome.after.items()):
            try:
                replace(path, outcome.before[path], after)
                written.append(show(Path(path)))
            except Unwritten as error:
                unwritten.append(f"cannot fix {show(Path(path))}: {error}")
    except KeyboardInterrupt:
        click.echo(f"xlalint: interrupted; files fixed before: {', '.join(written) or 'none'}", err=True)
        raise
    if unwritten:
        others = f"\nfixed {', '.join(written)}" if written else ""
        raise Failure("\n".join(unwritten) + others)


def _print_fixes(outcome: Outcome, color: str, *, written: bool, listed: bool) -> None:
    """Say what was fixed, on standard error: standard output is for the report, or the fixed text."""
    from xlalint.output import fixes
    from xlalint.output.paint import paint

    lines = [*fixes.listed(outcome.applied, outcome.left)] if listed else []
    lines += fixes.summary(
        len(outcome.applied), len({one.diagnostic.path for one in outcome.applied}), written=written
    )
    click.echo(paint(lines, colored=_is_colored(color)), err=True, nl=False)


def _print_counts(report: Report) -> None:
    counts = {"files": report.files, "files using torch_xla": report.hot, **report.statistics}
    width = max(len(str(count)) for count in counts.values())
    for name, count in counts.items():
        click.echo(f"{count:>{width}} {name}", err=True)


def _print_settings(settings: Settings) -> None:
    from xlalint.settings import as_toml
    from xlalint.sources.file import show

    _echo(f"# {show(settings.file)}\n" if settings.file else "# no settings file\n")
    for line in as_toml(settings):
        _echo(f"{line}\n")


def _print(lines: Iterator[Line] | list[Line], color: str) -> None:
    from xlalint.output.paint import paint

    _echo(paint(lines, colored=_is_colored(color)))


def _echo(text: str) -> None:
    # click.echo would write UTF-8 to a terminal that says it only knows ASCII.
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    with _writing():
        sys.stdout.write(text if encoding.startswith("utf") else text.translate(_ASCII))


@contextmanager
def _writing() -> Iterator[None]:
    """Write to standard output, all of it, or say why that is impossible. A reader that leaves may do so."""
    if sys.stdout is None:
        raise Failure("cannot write to standard output: it is closed")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from error


def _unwritable(error: OSError) -> Failure:
    """What to say where standard output takes no more; what it has not taken is given up."""
    if sys.stdout is not None:
        # Python writes what is left when it ends, and would fail once more.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    return Failure(f"cannot write to standard output: {_reason(error)}")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _is_colored(color: str) -> bool:
    """Whether to write colours: as asked, else as the environment says, else on terminals."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return _is_terminal() and os.environ.get("TERM") != "dumb"


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _columns(otherwise: int) -> int:
    """How wide the terminal is, or what COLUMNS says; `otherwise` where the output is none."""
    from shutil import get_terminal_size

    return get_terminal_size((otherwise, 0)).columns


def _split_place(place: str) -> tuple[Path, int | None]:
    path, colon, line = place.rpartition(":")
    if colon and line.isdecimal() and not os.path.exists(place):
        return Path(path), int(line)
    return Path(place), None


def _why_no_engine(system: str, machine: str, python: tuple[int, ...]) -> str:
    """Why torch_xla cannot be here, or how to get it.

    Args:
        system, machine: As the module `platform` names them.
        python: Major and minor version.
    """
    if (system, machine) != ("Linux", "x86_64"):
        why = f"it runs on Linux on x86-64 only, and this is {system} on {machine}"
    elif python >= (3, 14):
        why = f"it needs Python 3.10 to 3.13, and this is Python {'.'.join(map(str, python))}"
    else:
        why = "install it with: pip install 'xlalint[runtime]'"
    return f"a proof needs torch_xla, which is not installed: {why}"


def _internal(error: Exception) -> str:
    """What to say of an error of our own: enough to report it."""
    import traceback

    message = f"internal error in xlalint, please report it: {type(error).__name__}: {error}"
    if os.environ.get("XLALINT_TRACEBACK"):
        return message + "\n" + "".join(traceback.format_exception(error))
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{message}{where}; set XLALINT_TRACEBACK=1 to see the traceback"
