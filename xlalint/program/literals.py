"""Where a file names a device of XLA by a text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from xlalint.lazy.events import DeviceSpelled
from xlalint.lazy.site import site_of
from xlalint.sources.usage import is_device


def device_literals(tree: ast.Module, text: str, path: str) -> Iterator[DeviceSpelled]:
    """The texts of a file that name a device of XLA, in the order of the source.

    It is one where a device is asked for (`.to("xla")`, `torch.device("xla:0")`, `device="xla"`), kept
    (`device = "xla"`), or compared with (`device.type == "xla"`). Elsewhere, such as in the name of a
    process group, the text means something else.

    Args:
        tree: The file.
        text: Its text: most files name none.
        path: What the sites of the events name as their file.
    """
    if "'xla" not in text and '"xla' not in text:
        return
    found = {site_of(path, named): named.value for node in ast.walk(tree) for named in _named(node)}
    for site, spelling in sorted(found.items()):
        yield DeviceSpelled(site, spelling=str(spelling), places=len(found))


def _named(node: ast.AST) -> Iterator[ast.Constant]:
    """The texts in one node that name a device of XLA."""
    for value in _values(node):
        match value:
            case ast.IfExp(body=first, orelse=second):
                yield from filter(_is_xla, (first, second))
            case ast.Constant() if _is_xla(value):
                yield value


def _values(node: ast.AST) -> Iterator[ast.expr]:
    """What stands in the places of one node where a device is named."""
    match node:
        case ast.Call(
            func=ast.Attribute(attr=called) | ast.Name(id=called), args=arguments, keywords=keywords
        ):
            if called in _TAKING:
                yield from arguments[:1]
            yield from (keyword.value for keyword in keywords if keyword.arg in _PARAMETERS)
        case ast.Compare(left=left, comparators=others):
            if any(_is_device_or_type(side) for side in (left, *others)):
                yield from (left, *others)
        case ast.Assign(targets=[target], value=value):
            if _is_device_or_type(target):
                yield value
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            if _is_device_or_type(target):
                yield value
        case ast.arguments(posonlyargs=first, args=second, defaults=defaults):
            with_default = (*first, *second)[-len(defaults) :] if defaults else ()
            for argument, default in zip(with_default, defaults, strict=True):
                if _DEVICE.search(argument.arg):
                    yield default


def _is_device_or_type(node: ast.expr) -> bool:
    """Whether a name says that it holds a device, or the type of one."""
    match node:
        case ast.Attribute(value=held, attr="type"):
            return _is_device_or_type(held)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return _DEVICE.search(name) is not None
    return False


def _is_xla(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and is_device(node.value)


_TAKING: Final = frozenset({"to", "device", "autocast"})
"""Functions and methods whose first argument is a device or its type."""
_PARAMETERS: Final = frozenset({"device", "device_type"})
_DEVICE: Final = re.compile(r"(?i)(?:^|_)dev(?:ice)?(?:_|$)")
