"""With what a program makes the objects of a class: flags that nobody sets, or all set alike, are known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from xlalint.program.outline import Class, Outline, last_name, within_lines


def same_for_all(cls: Class, outlines: Iterable[Outline]) -> dict[str, bool]:
    """The flags of a class's constructor that are the same for all objects that a program makes of it.

    No call gives them, or each that does gives the same as the others. There are none where objects of the
    class may be made in another way: by nobody who is seen, by a class that inherits it, or by whoever the
    class is handed to.
    """
    flags = _flags(cls)
    if not flags:
        return {}
    calls = [call for outline in {*outlines, cls.outline} for call in _calls(cls.name, outline)]
    if not calls or None in calls:
        return {}
    texts = [outline.text for outline in {*outlines, cls.outline}]
    for name in list(flags):
        # It begins with fixed text, for speed.
        if any(re.search(rf"\.{name}(?<!\bself\.{name})\s*=(?!=)", text) for text in texts):
            del flags[name]  # somebody sets it when the object is made
    set_to: dict[str, set[bool]] = {name: set() for name in flags}
    for call in calls:
        assert call is not None
        if any(isinstance(given, ast.Starred) for given in call.args):
            return {}
        given_by_name = {keyword.arg: keyword.value for keyword in call.keywords}
        if None in given_by_name:
            return {}
        for name, (position, default) in list(flags.items()):
            by_place = call.args[position] if 0 <= position < len(call.args) else ast.Constant(default)
            match given_by_name.get(name, by_place):
                case ast.Constant(value=bool(value)):
                    set_to[name].add(value)
                case _:
                    del flags[name]
    return {name: value for name in flags if len(set_to[name]) == 1 for value in set_to[name]}


def has_flags(cls: Class) -> bool:
    """Whether the constructor of a class has any flags that may be the same for all objects."""
    return bool(_flags(cls))


def _flags(cls: Class) -> dict[str, tuple[int, bool]]:
    """The parameters of a constructor that are true or false by default: their position, and which.

    None of a decorated class: objects of it may be made in another way.
    """
    init = cls.methods.get("__init__")
    if init is None or cls.node.decorator_list:
        return {}
    positional, _, defaults = init.parameters
    return {
        name: (positional.index(name) - 1 if name in positional else -1, default.value)
        for name, default in defaults.items()
        if isinstance(default, ast.Constant) and isinstance(default.value, bool)
    }


def _calls(name: str, outline: Outline) -> Iterator[ast.Call | None]:
    """The calls of what has a name in a module; None for what else is done with it."""
    calls: list[ast.Call] = []
    about: set[ast.expr] = set()
    """Where the name stands as a callee, an annotation, or to tell of which class something is."""
    uses: list[ast.expr] = []
    for node in within_lines(outline.tree, outline.lines_with((name,))):
        match node:
            case ast.Call(func=ast.Name() | ast.Attribute() as called) if last_name(called) == name:
                calls.append(node)
                about.add(called)
            case ast.Call(func=ast.Name(id="super"), args=[first, *_]):
                about.add(first)
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, told]):
                about.update(told.elts if isinstance(told, ast.Tuple) else [told])
            case ast.arg(annotation=ast.expr() as meant) | ast.AnnAssign(annotation=meant):
                about.add(meant)
            case ast.FunctionDef(returns=ast.expr() as meant):
                about.add(meant)
        if isinstance(node, ast.Name | ast.Attribute) and last_name(node) == name:
            uses.append(node)
    yield from calls
    if any(use not in about for use in uses):
        yield None
