"""`xlalint config`, and the settings that `--show-settings` prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from xlalint.cli.options import format_option
from xlalint.cli.terminal import echo, print_json

if TYPE_CHECKING:
    from xlalint.settings import Settings


@click.command()
@click.argument("key", required=False)
@format_option
def config(key: str | None, output_format: str) -> None:
    """List all settings, or explain one."""
    from xlalint.settings import FILE_NAMES, SETTINGS, TABLE, nearest

    known = {setting.key: setting for setting in SETTINGS}
    if key is not None and key not in known:
        raise click.UsageError(f"unknown setting {key!r}{nearest(key, known)}")
    if output_format == "json":
        rows = {
            setting.key: {"type": setting.type, "default": setting.default, "help": setting.help}
            for setting in SETTINGS
        }
        print_json(rows if key is None else rows[key])
        return
    if key is None:
        longest = max(len(setting.key) for setting in SETTINGS)
        for setting in SETTINGS:
            echo(f"{setting.key:<{longest}}  {setting.help}\n")
        own = " or ".join(reversed(FILE_NAMES))
        echo(f"\nWrite them in {own}, or in pyproject.toml under [{TABLE}]; the nearest file wins.\n")
        return
    setting = known[key]
    echo(f"{setting.key}\n  {setting.help}\n  type: {setting.type}\n  default: {setting.default}\n")


def print_settings(settings: Settings, directory: Path) -> None:
    """Print the settings that hold in a directory, and what follows from them there, as a settings file."""
    from xlalint.findings import selected
    from xlalint.settings import as_toml
    from xlalint.sources.file import show
    from xlalint.sources.project import Projects
    from xlalint.versions import DEFAULT_TARGET

    declared = Projects().declared(directory)
    if settings.target_version is not None:
        target, why = settings.target_version, "as it is set"
    elif declared is not None:
        target, why = declared.versions, f"as {show(Path(declared.file))} requires"
    else:
        target, why = DEFAULT_TARGET, "as nothing says otherwise"
    echo(f"# {show(settings.file)}\n" if settings.file else "# no settings file\n")
    for line in as_toml(settings):
        echo(f"{line}\n")
    echo(f"\n# torch_xla: {target}, {why}\n")
    echo("# rules:\n")
    for code, rule in selected(settings, target).items():
        echo(f"#   {code} {rule.name}\n")
