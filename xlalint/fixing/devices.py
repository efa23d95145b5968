"""What of a program is for other devices than XLA's, and must stay right there."""

from __future__ import annotations

import ast
from pathlib import PurePath

from xlalint.fixing import spelling
from xlalint.fixing.module import Module
from xlalint.fixing.nodes import walk
from xlalint.fixing.rewrite import Refused
from xlalint.program.outline import last_name


def require_xla_alone(module: Module) -> None:
    """What is right on XLA alone is not written where a file is for CUDA, too, or may serve one that is.

    Raises:
        Refused: it is.
    """
    for node in walk(module.tree):
        match node:
            case ast.Attribute(attr="cuda") | ast.Constant(value="cuda"):
                raise Refused(f"line {node.lineno} is for CUDA, where it would be wrong")
    named = set() if module.callees is None else module.callees.named_in("cuda")
    if others := named - {str(module.file.path)}:
        raise Refused(f"{PurePath(min(others)).name} may call it with CUDA, where it would be wrong")


def require_no_cuda(module: Module) -> None:
    """What CUDA needs for lower precision stays where a file chooses CUDA as a device, too.

    Raises:
        Refused: it does.
    """
    about: set[ast.AST] = set()
    for node in walk(module.tree):
        match node:
            case ast.Call(func=made, args=given, keywords=keywords) if last_name(made) in _OF_PRECISION:
                about.update(given, (each.value for each in keywords))
            case ast.expr() if node not in about and _chooses_cuda(node):
                raise Refused(f"line {node.lineno} is for CUDA, where it would be missing")


def _chooses_cuda(node: ast.expr) -> bool:
    """Whether CUDA is named as a device, asked for, or something is moved there."""
    match node:
        case ast.Constant(value=str(name)):
            return name.partition(":")[0] == "cuda"
        case ast.Call(func=ast.Attribute(attr="cuda")):
            return True
        case ast.Attribute(attr="is_available" | "set_device", value=of):
            return last_name(of) == "cuda"
    return False


def require_no_way_of_its_own(module: Module, call: ast.Call) -> None:
    """A way that another one for XLA stands beside is for other devices.

    Raises:
        Refused: there is one.
    """
    inner: ast.AST = call
    for around in module.around(call):
        if isinstance(around, ast.If) and inner is not around.test:
            own, other = around.body, around.orelse
            if inner in other:
                own, other = other, own
            lines = [line for each in other if (line := _uses_xla(module, each)) is not None]
            if lines and all(_uses_xla(module, each) is None for each in own):
                raise Refused(f"line {lines[0]} is for XLA, and this way for other devices")
        inner = around


def _uses_xla(module: Module, node: ast.AST) -> int | None:
    """The first line in a node that uses something of torch_xla."""
    for each in walk(node):
        if isinstance(each, ast.Name) and any(
            imported.package == "torch_xla" for imported, _ in spelling.origins(module, each)
        ):
            return each.lineno
    return None


_OF_PRECISION = ("autocast", "GradScaler")
