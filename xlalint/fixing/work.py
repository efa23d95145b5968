"""What of a block may record work for the device, judged by its syntax alone.

A name is a device value where something in its function may give it one. Calls of what nobody knows
record work; of what Python and its habits know to stay on the host, not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from xlalint.fixing.module import called
from xlalint.fixing.nodes import walk
from xlalint.fixing.order import chain_of

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module

_OF_TENSORS = frozenset({"backward", "item", "detach", "cpu", "tolist", "numpy"})
READS = frozenset({"item", "tolist", "cpu", "numpy"})
"""Methods that ask the device for a value."""
_CASTS = frozenset({"int", "float", "bool", "str", "repr", "format"})
_SHAPE = frozenset({"shape", "dtype", "device", "ndim", "grad_fn", "requires_grad", "is_leaf"})
_OF_SHAPE = frozenset({"size", "dim", "numel", "type", "get_device", "data_ptr", "is_floating_point"})
_QUIET_METHODS = READS | _OF_SHAPE | frozenset(
    {
        "to", "detach", "cuda", "requires_grad_", "train", "eval", "parameters", "named_parameters",
        "modules", "named_modules", "children",
        "append", "extend", "add", "insert", "pop", "clear", "remove", "items", "keys", "values", "get",
        "setdefault", "copy", "join", "split", "strip", "startswith", "endswith", "format", "replace",
        "lower", "upper", "write", "flush", "close", "open", "read", "exists", "isdir", "isfile",
        "info", "debug", "warning", "error", "log", "critical", "exception", "log_metric", "log_metrics",
        "add_scalar", "add_scalars", "add_text", "set_postfix", "set_postfix_str", "set_description",
        "set_description_str", "refresh", "display", "display_progress", "print_progress", "master_print",
        "save", "rendezvous", "is_master_ordinal", "get_ordinal", "global_ordinal", "world_size",
        "xrt_world_size", "get_lr", "get_last_lr", "rate", "global_rate", "time", "perf_counter", "sleep",
        "synchronize", "mark_step", "sync", "collect", "metrics_report", "strftime", "now", "master_log",
        "is_local_master_ordinal", "is_main_process", "state_dict", "makedirs", "add_step_closure", "put",
        "set_epoch", "mesh_reduce", "get_memory_info", "tick", "toc", "tic",
        "_get_xla_tensors_text", "_get_xla_tensors_hlo", "_get_xla_tensors_dot",
    }
)  # fmt: skip
_QUIET_FUNCTIONS = _CASTS | frozenset(
    {
        "len", "print", "range", "enumerate", "zip", "isinstance", "issubclass", "hasattr", "getattr",
        "setattr", "callable", "iter", "next", "list", "dict", "tuple", "set", "sorted", "reversed", "round",
        "type", "id", "open", "input", "vars", "locals", "super", "any", "all", "min", "max", "divmod",
        "time", "perf_counter", "sleep", "is_main_process", "is_master", "mark_step", "sync",
        "add_step_closure", "master_print", "rank_zero_print", "exit",
    }
)  # fmt: skip
_QUIET_MODULES = frozenset(
    {"time", "math", "os", "sys", "logging", "json", "datetime", "random", "gc", "shutil", "wandb", "tqdm",
     "psutil", "pathlib", "itertools", "functools", "warnings", "copy", "pickle", "csv", "np", "numpy"}
)  # fmt: skip
_QUIET_RECEIVERS = (
    "log",
    "writer",
    "meter",
    "bar",
    "tracker",
    "timer",
    "progress",
    "history",
    "wandb",
    "stats",
    "time",
    "smoothed",
)
_WORDS = frozenset(
    {
        "log", "logger", "logging", "print", "save", "saver", "saving", "report", "checkpoint", "ckpt",
        "evaluate", "validate", "eval", "valid", "validation",
        "write", "summary", "dump", "track", "tensorboard",
    }
)  # fmt: skip
_NUMBERS = frozenset({"size", "rank", "ordinal", "count", "degree"})
"""Last words of the names of functions that tell a number of the program."""
_OF_LOGARITHMS = frozenset({"softmax", "sigmoid", "prob", "probs", "likelihood", "normal"})
_SURE = frozenset(
    {"backward", "step", "zero_grad", "optimizer_step", "reduce_gradients", "all_reduce", "clip_grad_norm_"}
)
"""Methods and functions that record work, or belong to the step."""
_PASSING_ON = frozenset({"reversed", "tqdm"})
"""Functions that hand on to a loop what they are given."""
_REPORTING = frozenset({"update", "step", "report", "push", "record", "start", "stop"})


class Work:
    """What records work, in a loop or scope.

    Args:
        function: What holds it.
        region: The loop or scope itself: above it a call of something unknown gives no device value, for
            there options are read and files opened.
    """

    def __init__(self, function: ast.AST, region: ast.AST) -> None:
        self._values: set[tuple[str, ...]] = set()
        self._tensors: set[tuple[str, ...]] = set()
        self.quiet: set[ast.AST] = set()
        """Calls of which it is known that they read, and record nothing."""
        self._inside = {node for node in walk(region) if isinstance(node, ast.Call)}
        for node in walk(function):
            match node:
                case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _OF_TENSORS:
                    chain = chain_of(value)
                    if chain is not None and not isinstance(value, ast.Subscript):
                        self._tensors.add(chain)
        statements = [node for node in walk(function) if isinstance(node, ast.stmt)]
        self._made = {chain for each in statements if (chain := _made_by(each)) is not None}
        """Names of tensors that are made on a device."""
        while True:  # until no name is added: a loop hands values to lines above
            known = len(self._values)
            for statement in statements:
                self._learn(statement)
            if len(self._values) == known:
                break
        self._computed = self._names_computed(statements)

    def _learn(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value) if self.is_value(value):
                for target in targets:
                    self._bind(target)
            case ast.AugAssign(target=target, value=value) if self.is_value(value):
                self._bind(target)
            case ast.AnnAssign(target=target, value=ast.expr() as value) if self.is_value(value):
                self._bind(target)
            case ast.For(target=target, iter=given):
                self._bind_batch(target, given)

    def _bind(self, target: ast.expr) -> None:
        for node in _targets(target):
            chain = chain_of(node)
            if chain is not None and not isinstance(node, ast.Subscript):
                self._values.add(chain)

    def _bind_batch(self, target: ast.expr, given: ast.expr) -> None:
        match given, target:
            case ast.Call(func=ast.Name(id="range")), _:
                return
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]), ast.Tuple(elts=[_, batch]):
                self._bind_batch(batch, inner)
            case ast.Call(args=[inner, *_]), _ if called(given) in _PASSING_ON:
                self._bind_batch(target, inner)
            case ((ast.List() | ast.Tuple() | ast.Constant()), _):
                return
            case _:
                self._bind(target)

    # Expressions --------------------------------------------------------------------------------

    def is_tensor(self, node: ast.expr) -> bool:
        """Whether this is used as a tensor somewhere, by a name that it has."""
        return isinstance(node, ast.Name | ast.Attribute) and chain_of(node) in self._tensors

    def is_value(self, node: ast.expr) -> bool:
        """Whether this may be a device value."""
        match node:
            case ast.Name():
                return (node.id,) in self._values
            case ast.Attribute(value=value, attr=attr):
                if attr in _SHAPE:
                    return False
                return chain_of(node) in self._values or self.is_value(value)
            case ast.Subscript(value=value):
                return self.is_value(value)
            case ast.Starred(value=value) | ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.is_value(value)
            case ast.BinOp(left=left, right=right):
                return self.is_value(left) or self.is_value(right)
            case ast.UnaryOp(operand=operand):
                return self.is_value(operand)
            case ast.Compare(left=left, comparators=others):
                return not _is_identity(node) and any(map(self.is_value, (left, *others)))
            case ast.BoolOp(values=values) | ast.Tuple(elts=values) | ast.List(elts=values):
                return any(map(self.is_value, values))
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_value(body) or self.is_value(orelse)
            case ast.Dict(values=values):
                return any(map(self.is_value, values))
            case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt) | ast.SetComp(elt=elt):
                return self.is_value(elt) or any(self.is_value(part.iter) for part in node.generators)
            case ast.Call():
                return self._call_gives_value(node)
        return False

    def _call_gives_value(self, call: ast.Call) -> bool:
        if call in self.quiet:
            return False
        given = [*call.args, *(each.value for each in call.keywords)]
        match call.func:
            case ast.Attribute(value=value, attr=attr):
                if attr in READS | _OF_SHAPE:
                    return False
                if attr in ("detach", "to", "contiguous", "cuda", "clone"):
                    return self.is_value(value)
                if attr in _QUIET_METHODS:
                    return attr in ("get", "pop", "values", "items") and self.is_value(value)
                chain = chain_of(call.func)
                if chain is not None and chain[0] in _QUIET_MODULES:
                    return False
                if self.is_value(value) or any(map(self.is_value, given)):
                    return True
                return self._calls_work(call) and (call in self._inside or chain == ("torch", attr))
            case ast.Name(id=name):
                if name == "next":
                    return True
                if name in ("list", "tuple", "zip", "sorted", "max", "min", "sum", "reversed", "iter"):
                    return any(map(self.is_value, given))
                if name in _QUIET_FUNCTIONS:
                    return False
                return any(map(self.is_value, given)) or (call in self._inside and self._calls_work(call))
        return call in self._inside

    def reads(self, call: ast.Call) -> bool:
        """Whether a call surely asks the device for a value."""
        match call:
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in READS:
                return self.is_value(value)
            case ast.Call(func=ast.Name(id="float" | "int" | "bool"), args=[value]):
                return self.is_value(value)
            case ast.Call(func=ast.Name(id="print") | ast.Attribute(attr="format"), args=values):
                return any(map(self.is_value, values))
        return False

    def stores(self, statement: ast.stmt) -> bool:
        """Whether it writes into a tensor that the function has made on a device, which records work."""
        match statement:
            case ast.Assign(targets=targets):
                pass
            case ast.AugAssign(target=target):
                targets = [target]
            case _:
                return False
        return any(isinstance(each, ast.Subscript) and chain_of(each.value) in self._made for each in targets)

    def elements_read(self, statement: ast.stmt) -> Iterator[ast.Subscript]:
        """What is taken out of tensors only to be read, as in `hits[0].item()`: that is a graph of its own.

        The tensor is computed here. What a function has returned may be a list, or have been changed in
        place: to take an element of that where it is computed would be of no use, or one graph more.
        """
        for node in walk(statement):
            match node:
                case (
                    ast.Call(func=ast.Attribute(value=ast.Subscript() as taken))
                    | ast.Call(func=ast.Name(), args=[ast.Subscript() as taken])
                ) if self.reads(node) and _is_number(taken.slice):
                    tensor = taken.value
                    if self._is_computed(tensor) or chain_of(tensor) in self._computed:
                        yield taken

    def _is_computed(self, node: ast.expr) -> bool:
        """Whether an operation makes a tensor of others, and not in place."""
        match node:
            case ast.BinOp() | ast.Compare():
                return self.is_value(node)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                return not attr.endswith("_") and self.is_value(value)
        return False

    def _names_computed(self, statements: Iterable[ast.stmt]) -> set[tuple[str, ...]]:
        """The names that only stand for what operations have made."""
        found: set[tuple[str, ...]] = set()
        others: set[tuple[str, ...] | None] = set()
        for statement in statements:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._is_computed(value):
                    found.add((name,))
                case ast.Assign(targets=targets):
                    others.update(chain_of(each) for target in targets for each in _targets(target))
                case ast.AugAssign(target=target) | ast.For(target=target):
                    others.update(map(chain_of, _targets(target)))
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=changed, attr=attr))):
                    others.update([chain_of(changed)] if attr.endswith("_") else [])
        return found - others

    # Work ---------------------------------------------------------------------------------------

    def records(self, node: ast.AST) -> bool:
        """Whether it may record work for the device."""
        return next(self.recording(node), None) is not None

    def surely_records(self, node: ast.AST) -> bool:
        """Whether it is more than a call of something unknown that makes it record work."""
        return (isinstance(node, ast.stmt) and self.stores(node)) or any(
            map(self._is_sure, self.recording(node))
        )

    def _is_sure(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call):
            return True
        given = [*node.args, *(each.value for each in node.keywords)]
        match node.func:
            case ast.Attribute(attr=attr) if attr in _SURE:
                return True
            case ast.Attribute(value=value) if self.is_value(value):
                return True
        return any(map(self.is_value, given))

    def recording(self, node: ast.AST) -> Iterator[ast.expr]:
        """The outermost expressions in a statement that may record work."""
        if isinstance(node, ast.expr) and self._records(node):
            yield node
            return
        if isinstance(node, ast.AugAssign) and self._adds_work(node):
            yield node.value
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            return
        for child in ast.iter_child_nodes(node):
            yield from self.recording(child)

    def _adds_work(self, node: ast.AugAssign) -> bool:
        """Whether `a += b` is computed on the device: of what is read first, Python has both sides."""
        if self.is_value(node.value):
            return True
        if isinstance(node.target, ast.Subscript) or not self.is_value(node.target):
            return False
        calls = (each for each in walk(node.value) if isinstance(each, ast.Call))
        return not any(each in self.quiet or self.reads(each) for each in calls)

    def _records(self, node: ast.expr) -> bool:
        """Whether an expression records work by itself, and not by a part of it."""
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                if isinstance(op, ast.Mod) and isinstance(left, ast.Constant):
                    return False  # a text
                return self.is_value(left) or self.is_value(right)
            case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=operand):
                return self.is_value(operand)
            case ast.Compare():
                return self.is_value(node)
            case ast.Subscript(value=value, slice=ast.Tuple(elts=parts)):
                # Only tensors are cut along several dimensions.
                return any(isinstance(each, ast.Slice) for each in parts) and self.is_value(value)
            case ast.Call(func=ast.Attribute(value=value, attr="contiguous")):
                return self.is_value(value)
            case ast.Call():
                return self._calls_work(node)
        return False

    def _calls_work(self, call: ast.Call) -> bool:
        if call in self.quiet:
            return False
        given = [*call.args, *(each.value for each in call.keywords)]
        if any(isinstance(each, ast.Call) and self.reads(each) for each in given):
            return False  # it is given numbers
        if not given and _counts(called(call)):
            return False
        match call.func:
            case ast.Name(id=name):
                if name in ("sum", "max", "min", "all", "any"):
                    return any(map(self.is_value, given))
                if name.isupper() and any(map(self.is_value, given)):
                    return True  # a model that is called like a constant
                return not (name in _QUIET_FUNCTIONS or name[:1].isupper() or _reports(name))
            case ast.Attribute(attr=attr):
                if attr in _QUIET_METHODS or _reports(attr):
                    return False
                chain = chain_of(call.func) or ("",)
                if chain[0] in _QUIET_MODULES:
                    return False
                named = chain[-2].lower() if len(chain) > 1 else ""
                reports = any(word in named for word in _QUIET_RECEIVERS) or self._are_numbers(given)
                return not (attr in _REPORTING and reports)
            case ast.Lambda():
                return False
        return True

    def _are_numbers(self, given: list[ast.expr]) -> bool:
        """Whether arguments are computed in Python."""
        computed = all(isinstance(each, ast.BinOp | ast.Constant) for each in given)
        return bool(given) and computed and not any(map(self.is_value, given))


def _made_by(statement: ast.stmt) -> tuple[str, ...] | None:
    """The name that a statement gives a tensor which it makes on a device."""
    match statement:
        case ast.Assign(targets=[target], value=ast.Call(func=function, keywords=keywords)):
            if (chain_of(function) or ("",))[0] == "torch" and any(each.arg == "device" for each in keywords):
                return chain_of(target)
    return None


def _is_number(index: ast.expr) -> bool:
    """Whether it is the place of an element, and no key."""
    match index:
        case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
    return False


def _reports(name: str) -> bool:
    """Whether a function is called like those that tell or keep what was computed."""
    words = name.lower().strip("_").split("_")
    return not _WORDS.isdisjoint(words) and _OF_LOGARITHMS.isdisjoint(words)


def _counts(name: str) -> bool:
    """Whether a function is called like those that tell how many there are, or which one this is."""
    return name.lower().rpartition("_")[2] in _NUMBERS


def draws_batch(node: ast.AST) -> bool:
    """Whether it draws a batch from a loader, which may cut the graph."""
    return any(isinstance(each, ast.Call) and _is_next(each.func) for each in walk(node))


def _is_next(function: ast.expr) -> bool:
    match function:
        case ast.Name(id="next") | ast.Attribute(attr="next"):
            return True
    return False


def _targets(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for each in target.elts:
            yield from _targets(each)
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value)
    else:
        yield target


def _is_identity(node: ast.Compare) -> bool:
    return all(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops)


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """All names in some code."""
    return {each.id for node in nodes for each in walk(node) if isinstance(each, ast.Name)}
