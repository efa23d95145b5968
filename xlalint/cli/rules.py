"""`xlalint rule` and `xlalint rules`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from xlalint.cli.options import color_option
from xlalint.cli.terminal import echo, is_colored, print_lines, writing

if TYPE_CHECKING:
    from xlalint.output.paint import Line
    from xlalint.rule import Rule


@click.command()
@click.argument("selector", metavar="CODE|NAME")
@color_option
def rule(selector: str, color: str) -> None:
    """Explain a rule: the harm, the reason and the fix."""
    from xlalint.registry import is_guarded

    found = find_rule(selector)
    colored = is_colored(color)
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
        echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    with writing():
        Console(force_terminal=True).print(Markdown(text))


@click.command()
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
@color_option
def rules(output_format: str, color: str) -> None:
    """List all rules."""
    from xlalint.registry import all_rules

    known = all_rules()
    if output_format == "json":
        import json

        echo(json.dumps([rule_as_json(rule) for rule in known], indent=2) + "\n")
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
    print_lines(lines, color)


def find_rule(selector: str) -> type[Rule[Any]]:
    from xlalint.registry import UnknownRule, find

    try:
        return find(selector)
    except UnknownRule as error:
        raise click.UsageError(str(error)) from error


def rule_as_json(rule: type[Rule[Any]]) -> dict[str, object]:
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
