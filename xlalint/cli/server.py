"""`xlalint server`."""

from __future__ import annotations

from importlib.util import find_spec

import click

from xlalint.cli.failure import Failure


@click.command()
@click.option("--stdio", is_flag=True, help="Speak over standard input and output, as it does anyway.")
def server(stdio: bool) -> None:
    """Run the language server, for editors, over standard input and output.

    Needs the extra lsp: pip install 'xlalint[lsp]'. docs/editors.md says how to set editors up.
    """
    if find_spec("pygls") is None:
        raise Failure("the language server needs pygls: install it with: pip install 'xlalint[lsp]'")
    from xlalint.server.server import serve

    raise click.exceptions.Exit(serve())
