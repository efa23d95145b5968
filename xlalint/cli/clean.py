"""`xlalint clean`."""

from __future__ import annotations

from pathlib import Path

import click

from xlalint.cli.failure import Failure
from xlalint.cli.terminal import echo


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--cache-dir", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Delete the cache in DIR instead of those in the projects.",
)  # fmt: skip
def clean(paths: tuple[Path, ...], cache_dir: Path | None) -> None:
    """Delete the caches of the projects that PATHS belong to (default: the working directory)."""
    from xlalint.cache import Cache
    from xlalint.gathering import projects_of
    from xlalint.sources.file import show

    cache = Cache(cache_dir and cache_dir.absolute())
    try:
        gone = cache.clean(projects_of(paths or (Path(),)))
    except OSError as error:
        raise Failure(f"cannot delete {error.filename}: {(error.strerror or str(error)).lower()}") from error
    for folder in gone:
        echo(f"deleted {show(folder)}\n")
    if not gone:
        echo("no cache found\n")
