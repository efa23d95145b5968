"""Whether a statement may change places with others: only then does it move."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from xlalint.fixing.module import Block, Module, called, is_marker, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Delete, Move, Operation, Replace
from xlalint.fixing.rewrite import Refused
from xlalint.program.sections import LEAVING

Chain = tuple[str, ...]
"""A name with the attributes that are taken of it: `self.model.weight`."""

_SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

READING = frozenset(
    {
        "item", "cpu", "tolist", "numpy", "detach", "size", "dim", "numel", "to", "float", "long", "int",
        "mean", "sum", "max", "min", "argmax", "argmin", "eq", "view", "reshape", "view_as", "abs", "norm",
        "softmax", "sigmoid", "clone", "data_ptr", "backward", "item_", "keys", "values", "items", "get",
        "format", "join", "split", "startswith", "endswith", "parameters", "named_parameters",
    }
)  # fmt: skip
"""Methods that leave their receiver as it is."""

_TRAINING = frozenset(
    {"step", "optimizer_step", "zero_grad", "backward", "unscale_", "update", "clip_grad_norm_"}
)
_SEES_PARAMETERS = ("save", "checkpoint", "eval", "valid", "state_dict", "parameters", "grad", "predict")
_PARAMETERS = frozenset({"weight", "bias"})
_FOLDERS = frozenset({"makedirs", "mkdir", "rmtree"})
_OF_FILES = ("save", "dump", "write", "open")
_SEES_RATES = frozenset({"param_groups", "get_lr", "get_last_lr", "last_lr", "_last_lr"})


class _Doing(NamedTuple):
    """What a statement does to names and to what they hold."""

    reads: frozenset[Chain]
    binds: frozenset[Chain]
    calls_on: frozenset[Chain]
    """The receivers of its calls, that they may change."""
    called: frozenset[str]
    names: frozenset[str]
    """All names and attributes in it."""


class Known(NamedTuple):
    """What is known of names, wherever statements move.

    Args:
        modules: Names of modules, of which calls share nothing.
        held: What objects were given when they were made: a call of such an object may change it.
        inside: By the name of a function of the file that a statement calls, the names in it.
    """

    modules: frozenset[str] = frozenset()
    held: Mapping[str, frozenset[str]] = MappingProxyType({})
    inside: Mapping[str, frozenset[str]] = MappingProxyType({})

    @classmethod
    def of(cls, module: Module, statement: ast.stmt) -> Known:
        """What is known around a statement."""
        around = [node for node in module.around(statement) if isinstance(node, ast.FunctionDef | ast.Module)]
        held: dict[str, set[str]] = {}
        for each in statements(around[0]):
            match each:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=made) as call):
                    if (chain_of(made) or ("",))[-1][:1].isupper():
                        held.setdefault(name, set()).update(_given(call))
        wanted = {called(each) for each in walk(statement) if isinstance(each, ast.Call)}
        inside = {
            each.name: frozenset(_names(each))
            for each in (statements(module.tree) if wanted else ())
            if isinstance(each, ast.FunctionDef) and each.name in wanted
        }
        return cls(
            frozenset(module.imports), {name: frozenset(inner) for name, inner in held.items()}, inside
        )


NOTHING_KNOWN = Known()


def _given(call: ast.Call) -> Iterator[str]:
    """The names that a call is given as they are, or in a list."""
    for each in (*call.args, *(keyword.value for keyword in call.keywords)):
        for given in each.elts if isinstance(each, ast.List | ast.Tuple) else (each,):
            if isinstance(given, ast.Name):
                yield given.id


def _names(node: ast.AST) -> Iterator[str]:
    for each in walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr


def require_order(module: Module, operations: Iterable[Operation], meant: Collection[ast.stmt] = ()) -> None:
    """Refuse where statements cannot be moved past others without a change of what they do.

    Args:
        module: The file.
        operations: What is to be done.
        meant: Statements of which those that move are meant to see the effect.

    Raises:
        Refused: they may not commute; the reason names the lines.
    """
    operations = [*operations]
    replaced = [each for each in operations if isinstance(each, Replace)]
    gone = {each.statement for each in operations if isinstance(each, Move | Delete)}
    for move in operations:
        if isinstance(move, Move):
            known = Known.of(module, move.statement)
            moved = _after(move.statement, replaced)
            for other in crossed(module, move):
                if other in gone or is_marker(other) or other in meant or (move.above and other is move.to):
                    continue
                reason = why_not(moved, other, known)
                if reason is not None:
                    line = move.statement.lineno
                    raise Refused(f"line {line} cannot move past line {other.lineno}: {reason}")


def crossed(module: Module, move: Move) -> Iterator[ast.stmt]:
    """The statements that stand between one that moves and the place where it goes."""
    targets = {id(block): member for block, member in _chain(module, move.to)}
    for block, member in _chain(module, move.statement):
        place, target = block.index(member), targets.get(id(block))
        if target is None:
            yield from block[:place] if move.above else block[place + 1 :]
            continue
        end = block.index(target)
        if end < place:
            yield from block[end + (target is not move.to or not move.above) : place]
        else:
            inside = target is move.to and not move.above
            yield from block[place + 1 : end + inside]
        return


def _chain(module: Module, statement: ast.stmt) -> Iterator[tuple[Block, ast.stmt]]:
    """The blocks that a statement stands in, from the inside out, each with its member."""
    for node in (statement, *module.around(statement)):
        if isinstance(node, ast.stmt):
            yield module.block(node), node


def _after(statement: ast.stmt, replaced: Iterable[Replace]) -> ast.stmt:
    """A statement as it is once expressions in it have given way."""
    nodes = {id(node) for node in walk(statement)}
    inside = {id(each.expression): each.text for each in replaced if id(each.expression) in nodes}
    if not inside:
        return statement
    memo: dict[int, object] = {}
    copied = copy.deepcopy(statement, memo)
    made = _Replacing({id(memo[key]): text for key, text in inside.items()}).visit(copied)
    assert isinstance(made, ast.stmt)
    return made


class _Replacing(ast.NodeTransformer):
    def __init__(self, texts: dict[int, str]) -> None:
        self._texts = texts

    def visit(self, node: ast.AST) -> ast.AST:
        text = self._texts.get(id(node))
        if text is None:
            return self.generic_visit(node)
        return ast.parse(f"({text})", mode="eval").body


def why_not(moved: ast.stmt, crossed: ast.stmt, known: Known = NOTHING_KNOWN) -> str | None:
    """Why a statement may not move past another; None: nothing is known against it."""
    for node in (moved, crossed):
        if suspends(node):
            return "one of them gives way to other code"
    if leaves(crossed):
        return "it may leave the loop or function, and what moved would not run"
    if leaves(moved):
        return "it would run although the loop or function should have been left"
    one, other = _doing(moved, known), _doing(crossed, known)
    for chain in sorted(other.binds):
        if any(_meet(chain, read) for read in one.reads | one.binds):
            return f"`{'.'.join(chain)}` is changed there"
    for chain in sorted(one.binds):
        if any(_meet(chain, read) for read in other.reads):
            return f"`{'.'.join(chain)}` is used there"
    for chain in sorted(other.calls_on):
        if any(_meet(chain, read) for read in one.calls_on) or any(
            _within(read, chain) for read in one.reads
        ):
            return f"a call there may change `{'.'.join(chain)}`"
    for chain in sorted(one.calls_on):
        if any(_within(read, chain) for read in other.reads):
            return f"it may change `{'.'.join(chain)}`, which is used there"
    if other.called & _TRAINING and not steps_rate(crossed):
        names = one.names.union(*(known.inside.get(name, ()) for name in one.called))
        if names & _PARAMETERS or any(word in name.lower() for name in names for word in _SEES_PARAMETERS):
            return "parameters and gradients change there"
    for folders, files in ((one, other), (other, one)):
        if folders.called & _FOLDERS and any(
            word in name.lower() for name in files.called for word in _OF_FILES
        ):
            return "the folder that is written to may be made or emptied there"
    if "step" in other.called and one.names & _SEES_RATES:
        return "the learning rate may change there"
    return None


def steps_rate(node: ast.AST) -> bool:
    """Whether it is the step of a scheduler: that changes learning rates, and no parameters."""
    call = node.value if isinstance(node, ast.Expr) else node
    return called(call) == "step" and "sched" in ast.unparse(call.func).lower()  # type: ignore[attr-defined]


def leaves(statement: ast.stmt) -> bool:
    """Whether it may leave the block that it stands in, by a statement of its own."""
    return any(_leaving(statement, in_loop=False))


def _leaving(node: ast.AST, *, in_loop: bool) -> Iterator[bool]:
    if isinstance(node, _SCOPES):
        return
    if isinstance(node, LEAVING):
        yield not (in_loop and isinstance(node, ast.Break | ast.Continue))
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        for each in node.body:
            yield from _leaving(each, in_loop=True)
        for each in node.orelse:
            yield from _leaving(each, in_loop=in_loop)
        return
    for child in ast.iter_child_nodes(node):
        yield from _leaving(child, in_loop=in_loop)


def suspends(node: ast.AST) -> bool:
    """Whether other code may run in the middle of it."""
    if isinstance(node, _SUSPENDS):
        return True
    return not isinstance(node, _SCOPES) and any(map(suspends, ast.iter_child_nodes(node)))


def chain_of(node: ast.AST) -> Chain | None:
    """`a.b.c` as its names; of `a.b[0].c` what stands before the index."""
    names: list[str] = []
    while True:
        match node:
            case ast.Name(id=name):
                return (name, *reversed(names))
            case ast.Attribute(value=value, attr=attr):
                names.append(attr)
                node = value
            case ast.Subscript(value=value):
                names.clear()
                node = value
            case _:
                return None


def _doing(statement: ast.AST, known: Known) -> _Doing:
    reads: set[Chain] = set()
    binds: set[Chain] = set()
    calls_on: set[Chain] = set()
    called: set[str] = set()
    names: set[str] = set()
    own = {
        name.id
        for node in walk(statement)
        if isinstance(node, _COMPREHENSIONS)
        for part in node.generators
        for name in walk(part.target)
        if isinstance(name, ast.Name)
    }
    for node in walk(statement):
        match node:
            case ast.Name(id=name, ctx=ctx):
                names.add(name)
                if name not in own:
                    (reads if isinstance(ctx, ast.Load) else binds).add((name,))
            case ast.Attribute(attr=attr, ctx=ctx):
                names.add(attr)
                chain = chain_of(node)
                if chain is not None and chain[0] not in own:
                    (reads if isinstance(ctx, ast.Load) else binds).add(chain)
            case ast.Subscript(ctx=ast.Store() | ast.Del(), value=value):
                chain = chain_of(value)
                if chain is not None:
                    binds.add(chain)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                binds.add((name,))
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                binds.update(((alias.asname or alias.name).split(".")[0],) for alias in aliases)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                called.add(attr)
                chain = chain_of(value)
                if chain is not None and chain[0] not in own | known.modules and attr not in READING:
                    calls_on.add(chain)
            case ast.Call(func=ast.Name(id=name)):
                called.add(name)
    for chains in (reads, calls_on):
        chains |= {(inner,) for chain in [*chains] for inner in known.held.get(chain[0], ())}
    # `self` alone is read with everything that is taken of it.
    longer = {chain[:end] for chain in reads | binds for end in range(1, len(chain))}
    return _Doing(
        frozenset(reads - longer), frozenset(binds), frozenset(calls_on), frozenset(called), frozenset(names)
    )


def _meet(one: Chain, other: Chain) -> bool:
    """Whether one of them is the other, or a part of it."""
    short = min(len(one), len(other))
    return one[:short] == other[:short]


def _within(inner: Chain, outer: Chain) -> bool:
    """Whether `inner` is `outer`, or a part of what that holds."""
    return inner[: len(outer)] == outer
