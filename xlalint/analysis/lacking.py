"""Attributes that the objects of a class surely lack, as nothing that is seen gives them any.

That is judged by the files of the class and its bases, and by the one that asks: so it is the same
whatever else is analyzed.
"""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.call import last_name
from xlalint.analysis.outline import Class, Outline, within, within_lines


def makes(outline: Outline, cls: str) -> bool:
    """Whether a module makes an object of a class of this name."""
    near = within_lines(outline.tree, outline.lines_with((cls,)))
    return any(isinstance(node, ast.Call) and last_name(node.func) == cls for node in near)


def may_give(outline: Outline, cls: str, name: str) -> bool:
    """Whether a module may give an attribute to objects of a class of this name, or asks if they have it.

    A class in it derives from that one, it assigns the attribute of some object, or has the name as a text.
    """
    if outline.mentions(_BY_ANY_NAME):
        return True
    if any(last_name(base) == cls for each in outline.classes.values() for base in each.bases):
        return True
    for node in within_lines(outline.tree, outline.lines_with((name,))):
        match node:
            case ast.Attribute(value=of, attr=attribute, ctx=ast.Store() | ast.Del()) if attribute == name:
                if last_name(of) != "self":
                    return True
            case ast.Constant(value=value) if value == name:
                return True
    return False


def defines(cls: Class, name: str) -> bool:
    """Whether a class gives its objects an attribute: by its body, or in a method."""
    for node in within(cls.node):
        match node:
            case ast.Attribute(attr=bound, ctx=ast.Store()) | ast.Name(id=bound, ctx=ast.Store()):
                if bound == name:
                    return True
            case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
                if bound == name:
                    return True
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                if any((each.asname or each.name) == name for each in names):
                    return True
    return False


_BY_ANY_NAME: Final = frozenset({
    "setattr", "vars", "__dict__", "__getattr__", "__getattribute__", "__setattr__",
})  # fmt: skip
"""Where a program names one of these, its objects may hold what no class says."""
