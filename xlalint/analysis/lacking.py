"""Attributes that the objects of a class surely lack, as nothing in the program gives them any."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from xlalint.analysis.call import last_name
from xlalint.analysis.outline import Class, Outline, within, within_lines


def may_be_given(cls: Class, name: str, outlines: Iterable[Outline]) -> bool:
    """Whether somebody else than the class and its bases may give its objects an attribute, or asks whether
    they have it: a class that derives from it, what assigns the attribute of some object, or a text."""
    for outline in {*outlines, cls.outline}:
        if outline.mentions(_BY_ANY_NAME):
            return True
        if cls.name in outline.text and any(
            last_name(base) == cls.name for each in outline.classes.values() for base in each.bases
        ):
            return True
        for node in within_lines(outline.tree, outline.lines_with((name,))):
            match node:
                case ast.Attribute(value=of, attr=attribute, ctx=ast.Store() | ast.Del()) if (
                    attribute == name
                ):
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
