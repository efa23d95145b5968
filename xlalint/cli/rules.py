"""`xlalint rule` and `xlalint rules`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from xlalint.cli.options import color_option, format_option
from xlalint.cli.terminal import echo, is_colored, print_json, print_lines, writing

if TYPE_CHECKING:
    from xlalint.output.paint import Line
    from xlalint.rule import Rule


@click.command()
@click.argument("selector", metavar="CODE|NAME", required=False)
@click.option("--all", "every", is_flag=True, help="Explain all rules.")
@format_option
@color_option
def rule(selector: str | None, every: bool, output_format: str, color: str) -> None:
    """Explain a rule: the harm, the reason and the fix."""
    from xlalint.registry import all_rules

    if every == (selector is not None):
        raise click.UsageError("name one rule, or use --all")
    found = all_rules() if selector is None else (find_rule(selector),)
    if output_format == "json":
        rows = [{**rule_as_json(each), "documentation": each.documentation()} for each in found]
        print_json(rows if every else rows[0])
        return
    text = "\n".join(map(explained, found))
    if not is_colored(color):
        echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    with writing():
        Console(force_terminal=True).print(Markdown(text))


def explained(found: type[Rule[Any]]) -> str:
    """All that is known of a rule, as Markdown."""
    from xlalint.registry import is_guarded

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
    return f"# {found.code} {found.name}\n\n{'; '.join(facts)}\n\n{found.documentation()}\n"


@click.command()
@click.option(
    "--output-format", type=click.Choice(("text", "json", "markdown")), default="text", show_default=True
)
@color_option
def rules(output_format: str, color: str) -> None:
    """List all rules."""
    from xlalint.registry import all_rules

    known = all_rules()
    if output_format == "json":
        print_json([rule_as_json(rule) for rule in known])
        return
    if output_format == "markdown":
        echo("\n".join(catalogue(known, lambda rule: rule.url())))
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


def catalogue(rules: Iterable[type[Rule[Any]]], page: Callable[[type[Rule[Any]]], str]) -> Iterator[str]:
    """A table of rules in Markdown, line by line; `page` says where that of a rule is."""
    from xlalint.registry import is_guarded

    yield "| code | name | severity | what it finds | runtime guard |"
    yield "|---|---|---|---|---|"
    for each in rules:
        default = "" if each.enabled else " (off by default)"
        guard = "yes" if is_guarded(each) else "no"
        yield (
            f"| {each.code} | [{each.name}]({page(each)}) | {each.severity}{default} "
            f"| {each.summary()} | {guard} |"
        )


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
