"""Rewrites of reads: read first and compute on the host, stay on the device, do without a scaler."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from xlalint.cure import Cure, DropScaler, FillByMask, KeepOnDevice, ReadFirst, StackReads
from xlalint.fixing.devices import require_no_cuda, require_no_way_of_its_own
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module, called
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Delete, Operation, Replace
from xlalint.fixing.order import chain_of
from xlalint.fixing.places import expression_at, function_around, qualified, statement_at
from xlalint.fixing.rewrite import Need, Refused, Rewrite, Rewriter
from xlalint.fixing.shapes import has_all_dimensions
from xlalint.fixing.spelling import spelling
from xlalint.fixing.work import Work

_CASTS = ("float", "int", "bool")


def read_first(module: Module, cure: ReadFirst) -> Rewrite:
    """`(loss / n).item()` becomes `loss.item() / n`."""
    read = expression_at(module, cure.read)
    value = _read_value(read)
    if not isinstance(value, ast.BinOp):
        raise Refused(f"what line {read.lineno} reads is not computed there")
    work = Work(function_around(module, read), statement_at(module, cure.read))
    work_sides = [each for each in (value.left, value.right) if _may_be_value(work, each)]
    if len(work_sides) != 1:
        raise Refused(f"it is not known which side on line {read.lineno} is the device's")
    (side,) = work_sides
    source = module.source(side)
    if isinstance(side, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        first = f"{called(read)}({source})" if called(read) in _CASTS else f"{source}.item()"
    else:
        raise Refused(f"more than one step is computed on line {read.lineno}")
    left, right = (
        (first, _operand(module, value.right))
        if side is value.left
        else (_operand(module, value.left), first)
    )
    text = f"{left} {_operator(value.op)} {right}"
    parent = module.parents[read]
    if isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript | ast.Compare):
        text = f"({text})"
    return Rewrite(operations=(Replace(read, text),))


def _may_be_value(work: Work, node: ast.expr) -> bool:
    return work.is_value(node) or work.is_tensor(node)


def _read_value(read: ast.expr) -> ast.expr | None:
    match read:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return value
        case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in _CASTS:
            return value
    return None


def _operand(module: Module, node: ast.expr) -> str:
    source = module.source(node)
    return source if isinstance(node, ast.Constant | ast.Name | ast.Attribute | ast.Call) else f"({source})"


def _operator(op: ast.operator) -> str:
    return ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b")))[2:-2]


def keep_on_device(module: Module, cure: KeepOnDevice) -> Rewrite:
    """The read goes, what it reads stays."""
    read = expression_at(module, cure.site)
    value = _read_value(read)
    if value is None:
        raise Refused(f"the read on line {read.lineno} gives something else than its value")
    if lines := [each.lineno for each in _asked_by_python(module, read, set())]:
        raise Refused(f"Python asks for the value all the same, on line {min(lines)}")
    source = module.source(value)
    start, end = module.span(read)
    if (module.text[start:].startswith("(") and isinstance(read.func, ast.Attribute)) or "\n" in source:  # type: ignore[attr-defined]
        source = f"({source})"
    assert end > start
    return Rewrite(operations=(Replace(read, source),))


def _asked_by_python(module: Module, value: ast.expr, known: set[str]) -> Iterator[ast.expr]:
    """Where Python needs a value, or what is computed of it: in tests, texts, functions and factors."""
    node: ast.AST = value
    while isinstance(parent := module.parents[node], ast.expr | ast.comprehension):
        match parent:
            case ast.Call(func=ast.Name(id=name), args=arguments) if node in arguments and name in _ASKING:
                yield value
            case ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.FormattedValue():
                yield value
            case ast.IfExp(test=test) if test is node:
                yield value
            case ast.comprehension(ifs=tests) if node in tests:
                yield value
            case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
                yield value
        node = parent
    match parent:
        case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test) if test is node:
            yield value
        case ast.keyword(arg="alpha" | "beta" | "value"):
            yield value
        case ast.Assign(targets=[ast.Name(id=name)]) if name not in known:
            for use in walk(function_around(module, parent)):
                if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load):
                    yield from _asked_by_python(module, use, known | {name})


_ASKING = frozenset(
    {"all", "any", "bool", "float", "format", "int", "max", "min", "print", "range", "round", "str"}
)


def fill_by_mask(module: Module, cure: FillByMask) -> Rewrite:
    """`x[mask] = 0.0` becomes `x.masked_fill_(mask, 0.0)`."""
    match statement_at(module, cure.site):
        case ast.Assign(targets=[ast.Subscript(value=filled, slice=mask)], value=number) as statement:
            parts = [module.source(part) for part in (filled, mask, number)]
        case _:
            raise Refused("this is more than one assignment")
    if isinstance(mask, ast.Tuple | ast.Slice) or not isinstance(filled, ast.Name | ast.Attribute):
        raise Refused("more than a mask is the index")
    if not has_all_dimensions(module, mask, filled):
        raise Refused(
            f"the mask may have fewer dimensions than `{parts[0]}`, which `masked_fill_` does not take"
        )
    return Rewrite((Edit(*module.span(statement), "{}.masked_fill_({}, {})".format(*parts)),))


def stack_reads(module: Module, cure: StackReads) -> Rewrite:
    """`[a.item(), b.item()]` becomes `torch.stack([a, b]).tolist()`."""
    read = expression_at(module, cure.site)
    whole, values, end = _read_together(module, read)
    stack, _ = spelling(module, _STACK, read)
    text = f"{stack}({values}){end}"
    if isinstance(whole, ast.Tuple) and not isinstance(module.parents[whole], ast.Assign):
        text = f"tuple({text})"
    return Rewrite(operations=(Replace(whole, text),), needs=(Need(_STACK, read),))


_STACK = "torch.stack"


def _read_together(module: Module, read: ast.expr) -> tuple[ast.expr, str, str]:
    """What holds a read and others and nothing else, what is read as a list, and how a stack of it is."""
    match read:
        case ast.Call(func=ast.Attribute(attr="tensor"), args=[given], keywords=[]):
            return read, module.source(given), "" if _goes_to_device(module, read) else ".cpu()"
        case ast.Call(func=ast.Attribute(attr="tensor"), args=[given], keywords=[ast.keyword("device", to)]):
            return read, module.source(given), f".to({module.source(to)})"
    match module.parents[read]:
        case ast.List(elts) | ast.Tuple(elts) as whole:
            values = [_read_value(each) for each in elts]
            shown = [module.source(value) for value in values if value is not None]
            if len({called(each) for each in elts}) == 1 and len(shown) == len(elts):
                return whole, f"[{', '.join(shown)}]", ".tolist()"
        case ast.ListComp(elt, generators) as whole if elt is read:
            if any(each.ifs for each in generators):
                raise Refused("the test in the list may leave nothing over, and an empty list makes no stack")
            value, loops = _read_value(read), module.text[module.span(read)[1] : module.span(whole)[1]]
            if value is not None:
                return whole, f"[{module.source(value)}{loops}", ".tolist()"
    raise Refused(f"more than the numbers read on line {read.lineno} stands around them")


def _goes_to_device(module: Module, made: ast.expr) -> bool:
    """Whether a tensor is moved as soon as it is made, by `.to(device)`."""
    move = module.parents[made]
    match module.parents[move]:
        case ast.Call(func=method, args=[ast.Name(id=name) | ast.Attribute(attr=name)], keywords=[]):
            return method is move and getattr(move, "attr", "") == "to" and "device" in name
    return False


# The scaler -------------------------------------------------------------------------------------


def drop_scaler(module: Module, cure: DropScaler) -> Rewrite:
    """A gradient scaler goes, from where it is made to its updates."""
    step = expression_at(module, cure.site)
    match step:
        case ast.Call(func=ast.Attribute(value=scaler, attr="step"), args=[optimizer, *rest]):
            pass
        case _:
            raise Refused(f"line {step.lineno} steps no scaler")
    require_no_way_of_its_own(module, step)
    require_no_cuda(module)
    name = chain_of(scaler)
    if name is None or isinstance(scaler, ast.Subscript):
        raise Refused("the scaler has no name of its own")
    if half := next((each for each in walk(module.tree) if _is_half(each)), None):
        raise Refused(f"float16 needs a scaler: it is named on line {half.lineno}")  # type: ignore[attr-defined]
    region = module.tree if len(name) > 1 else function_around(module, step)
    operations: list[Operation] = []
    leaves: tuple[str, ...] = ()
    makes = 0
    for use in _uses(region, name):
        parent = module.parents[use]
        call, statement, *_ = *module.around(parent), None, None
        match parent, call:
            case ast.Assign(targets=[target], value=ast.Call(func=made)), _ if target is use:
                operations.append(Delete(parent))
                leaves += (qualified(module, made),) if qualified(module, made) else ()
                makes += 1
            case ast.Attribute(attr="scale"), ast.Call(args=[value], keywords=[]) as scaled:
                operations.append(Replace(scaled, module.source(value)))
            case ast.Attribute(attr="unscale_"), ast.Call() if isinstance(statement, ast.Expr):
                operations.append(Delete(statement))
            case ast.Attribute(attr="update"), ast.Call(args=[], keywords=[]) if isinstance(
                statement, ast.Expr
            ):
                operations.append(Delete(statement))
            case ast.Attribute(attr="step"), ast.Call(args=[given, *others], keywords=keywords) as stepped:
                arguments = [module.source(each) for each in (*others, *keywords)]
                reduced = _reduced_above(module, statement, given)
                if reduced is None or arguments:
                    text = f"{module.source(given)}.step({', '.join(arguments)})"
                else:
                    function, above = reduced
                    text = f"{function}({module.source(given)})"
                    operations.append(Delete(above))
                operations.append(Replace(stepped, text))
            case _:
                raise Refused(f"something else uses the scaler on line {use.lineno}")
    if makes != 1:
        raise Refused("the scaler is made elsewhere, or in several places")
    if any("\n" in each.text for each in operations if isinstance(each, Replace)):
        raise Refused("what is scaled goes over several lines")
    assert optimizer is not None and rest is not None
    return Rewrite(operations=tuple(operations), leaves=leaves)


def _reduced_above(
    module: Module, statement: ast.AST | None, optimizer: ast.expr
) -> tuple[str, ast.stmt] | None:
    """What sums the gradients directly above a step of the scaler, and the function that does both."""
    if not isinstance(statement, ast.Expr):
        return None
    block = module.block(statement)
    for above in reversed(block[: block.index(statement)]):
        match above:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=xm, attr="reduce_gradients"), args=[given])
            ):
                if ast.dump(given) == ast.dump(optimizer):
                    return f"{module.source(xm)}.optimizer_step", above
                return None
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="unscale_"))):
                continue
        return None
    return None


def _uses(region: ast.AST, name: tuple[str, ...]) -> Iterator[ast.expr]:
    for node in walk(region):
        if isinstance(node, ast.Name | ast.Attribute) and chain_of(node) == name:
            yield node


def _is_half(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr in ("float16", "half")) or (
        isinstance(node, ast.Constant) and node.value in ("float16", "fp16")
    )


REWRITERS: dict[type[Cure], Rewriter[Any]] = {
    ReadFirst: read_first,
    KeepOnDevice: keep_on_device,
    StackReads: stack_reads,
    DropScaler: drop_scaler,
    FillByMask: fill_by_mask,
}
