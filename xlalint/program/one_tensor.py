"""What is one tensor, and what a loss, by how a function writes it: where no value tells."""

from __future__ import annotations

import ast

from xlalint.knowledge import operations
from xlalint.program.outline import Function, dotted, named, within
from xlalint.remembering import remembered


def is_one_tensor(expression: ast.expr, function: Function | None) -> bool:
    """Whether it is a part of a parameter or module that is a tensor, what makes one, or a name for such."""
    match expression:
        case ast.Attribute(attr=name):
            return name in operations.TENSOR_PARTS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in operations.MAKES_ONE_TENSOR
        case ast.Name(id=name) if function is not None:
            return _is_always(name, function.node)
    return False


@remembered(256)
def _is_always(name: str, function: ast.AST) -> bool:
    """Whether all that a function binds to a name is one tensor."""
    known = bound = 0
    for node in within(function):
        match node:
            case ast.arg(arg=parameter, annotation=annotation) if parameter == name:
                bound += 1
                known += annotation is not None and _is_class_of_tensors(annotation)
            case ast.Name(id=target, ctx=ast.Store()) if target == name:
                bound += 1
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                known += not isinstance(value, ast.Name) and is_one_tensor(value, None)
            case ast.AugAssign(target=ast.Name(id=target)) if target == name:
                known += 1  # what a tensor is added to is one
    return 0 < bound == known


def _is_class_of_tensors(annotation: ast.expr) -> bool:
    if isinstance(annotation, ast.Constant):
        return annotation.value in operations.CLASSES_OF_TENSORS
    return dotted(annotation) in operations.CLASSES_OF_TENSORS


@remembered(256)
def losses_of(function: ast.AST) -> frozenset[str]:
    """The names in that of which a function computes gradients by `backward()`."""
    began = (
        named(node.func.value)
        for node in within(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "backward"
    )
    return frozenset[str]().union(*began)
