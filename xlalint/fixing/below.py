"""What moves below a scope: the statement that goes, and what of it has to stay."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from xlalint.fixing.edits import Edit, applied
from xlalint.fixing.module import Block, Module, called
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Insert, Move, Operation, Replace
from xlalint.fixing.order import Known, leaves, why_not
from xlalint.fixing.places import function_around, qualified
from xlalint.fixing.rewrite import Confined, Refused
from xlalint.fixing.work import Work, names_in

CLOSURE = "add_step_closure"
CONDITIONAL = (
    ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
_MODES = frozenset(
    {
        "no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "autocast", "nullcontext",
        "record_function", "Trace", "StepTrace", "step", "compile",
    }
)  # fmt: skip
"""What opens a block that a read may leave."""
_NAMES = {
    "sum": "total", "mean": "mean", "norm": "norm", "max": "largest", "min": "smallest",
    "argmax": "predicted", "softmax": "probabilities", "sigmoid": "probabilities",
    "get_last_lr": "learning_rate", "get_lr": "learning_rate",
}  # fmt: skip


class Below:
    """Statements of a block that move below what stands in it.

    Args:
        module: The file.
        block: The block of the scope, or the body of the loop that becomes one.
        work: What records work there.
    """

    def __init__(self, module: Module, block: Block, work: Work) -> None:
        self._module = module
        self._block = block
        self._work = work
        self._taken = names_in([function_around(module, block[0])])
        self.moving: dict[ast.stmt, ast.stmt] = {}
        """What moves, each with the statement of the block that holds it."""
        self.staying: set[ast.stmt] = set()
        """Those of them that leave work behind."""
        self.operations: list[Operation] = []
        self.leaves: list[str] = []

    def take(self, node: ast.AST, method: str = "", wanted: str = "") -> None:
        """Let the statement move that reads at `node`, or adds a step closure there.

        Args:
            node: What reads, or adds a closure.
            method: What reads its value below instead, as `.item()`: the call itself stays then.
            wanted: What that value may be called.

        Raises:
            Refused: it would take work along.
        """
        if isinstance(node, ast.Expr):
            node = node.value
        member = self._module.member(node, self._block)
        if member is None:
            raise Refused("it does not stand in the step itself")
        quiet = [*self._module.around(node)] if method else [node, *self._module.around(node)]
        self._work.quiet.update(each for each in quiet if isinstance(each, ast.Call))
        statement = self._carrier(member, node)
        if statement in self.moving:
            return
        if self._work.stores(statement):
            raise Refused(f"line {statement.lineno} records work where it keeps what it reads")
        closures = self._closures(statement)
        self._work.quiet.update(closures)
        if method:
            assert isinstance(node, ast.expr)
            self._bind(node, statement, method, wanted)
            self.staying.add(statement)
        elements = [] if hasattr(statement, "body") else [*self._work.elements_read(statement)]
        for expression in [*self._work.recording(statement)]:
            within = any(expression in walk(element) for element in elements)
            if not within and (expression is not node or not method):
                self._leave(expression, statement)
        for element in elements:
            self._leave(element, statement)
        for closure in closures:
            self._bind_early(closure, statement)
            self._replace_closure(closure)
        self.moving[statement] = member

    def stay(self, closure: ast.Call) -> None:
        """Let a closure stay where it is added: it runs where the step ends, above all that moves.

        Raises:
            Refused: it would not do the same there.
        """
        call = ast.Expr(ast.parse(self._plain(closure), mode="eval").body)
        for statement in self.moving:
            above = statement.lineno < closure.lineno
            reason = why_not(statement, call, Known.of(self._module, statement)) if above else None
            if reason is not None:
                raise Refused(f"line {statement.lineno} cannot move past the closure: {reason}")

    def move(self, to: ast.stmt, above: Sequence[ast.stmt]) -> None:
        """Move down all that stands in some statements of the block.

        Args:
            to: What they come to stand below.
            above: The statements of the block.
        """
        for statement in sorted(self.moving, key=lambda each: (each.lineno, each.col_offset)):
            if self.moving[statement] in above:
                self.operations.append(Move(statement, to))

    # Statements ---------------------------------------------------------------------------------

    def _carrier(self, member: ast.stmt, node: ast.AST) -> ast.stmt:
        """The statement that moves: as much as records no work, and is not below a test that does."""
        inner = [each for each in (node, *self._module.around(node)) if isinstance(each, ast.stmt)]
        inner = inner[: inner.index(member) + 1]
        for statement in reversed(inner):
            if self._is_free(statement):
                return statement
            if statement is not inner[0] and not _may_be_left(statement):
                raise Confined(
                    f"line {inner[0].lineno} would move out of the statement on line {statement.lineno}, "
                    "which records work or reads itself"
                )
        return inner[0]

    def _is_free(self, statement: ast.stmt) -> bool:
        recording = [*self._work.recording(statement)]
        if not recording:
            return True
        if isinstance(statement, ast.If):
            return all(self._is_in_test(each, statement) for each in recording)
        return not hasattr(statement, "body")

    def _is_in_test(self, expression: ast.expr, statement: ast.If) -> bool:
        return expression is statement.test or statement.test in self._module.around(expression)

    def _leave(self, expression: ast.expr, statement: ast.stmt) -> None:
        """Leave work behind, bound to a name; a test asks for the number of a value instead."""
        module = self._module
        if isinstance(statement, ast.If):
            self._read_in_test(expression)
            return
        conditional = [
            each for each in module.around(expression)
            if isinstance(each, CONDITIONAL) and statement in module.around(each)
        ]  # fmt: skip
        if conditional:
            raise Refused(f"the work on line {expression.lineno} is done only under a condition")
        if any(isinstance(each, ast.NamedExpr) for each in walk(expression)):
            raise Refused(f"line {expression.lineno} binds a name in the middle of an expression")
        if isinstance(statement, ast.Expr) and statement.value is expression:
            raise Refused(f"it is not known that line {statement.lineno} reads and records nothing")
        self.staying.add(statement)
        self._bind(expression, statement)

    def _bind(self, expression: ast.expr, statement: ast.stmt, method: str = "", wanted: str = "") -> None:
        """Leave an expression where a statement stood, bound to a name, with a method of it in its place."""
        source = self._module.source(expression)
        if "\n" in source or "\r" in source:
            raise Refused(f"the work on line {expression.lineno} goes over several lines")
        name = fresh_name(expression, statement, self._taken, wanted)
        self.operations += (
            Insert(f"{name} = {source}", statement, above=True),
            Replace(expression, f"{name}{method}"),
        )

    def _read_in_test(self, expression: ast.expr) -> None:
        operands: list[ast.expr] = []
        if isinstance(expression, ast.Compare):
            operands = [
                each for each in (expression.left, *expression.comparators) if self._work.is_value(each)
            ]
        if not operands or not all(map(self._work.is_tensor, operands)):
            raise Refused(f"it is not known whether the test on line {expression.lineno} asks for one tensor")
        for each in operands:
            self.operations.append(Replace(each, f"{self._module.source(each)}.item()"))

    # Closures -----------------------------------------------------------------------------------

    def _closures(self, statement: ast.stmt) -> list[ast.Call]:
        return [each for each in walk(statement) if isinstance(each, ast.Call) and called(each) == CLOSURE]

    def _replace_closure(self, call: ast.Call) -> None:
        """A closure becomes a plain call.

        Raises:
            Refused: it would not do the same.
        """
        text = self._plain(call)
        self.operations = [each for each in self.operations if not self._is_inside(each, call)]
        self.operations.append(Replace(call, text))
        if name := qualified(self._module, call.func):
            self.leaves.append(name)

    def _bind_early(self, call: ast.Call, statement: ast.stmt) -> None:
        """Bind arguments that would come out otherwise below what follows."""
        if not isinstance(statement, ast.Expr) or statement.value is not call or len(call.args) > 2:
            return
        given = [each.value for each in call.keywords if each.arg == "args"] or call.args[1:]
        following = self._block[self._block.index(statement) + 1 :] if statement in self._block else []
        known = Known.of(self._module, statement)
        for expression in (each for held in given for each in getattr(held, "elts", ())):
            is_name = isinstance(expression, ast.Name | ast.Constant | ast.Starred)
            if is_name or any(self._is_inside(each, expression) for each in self.operations):
                continue
            if any(why_not(ast.Expr(expression), each, known) and not leaves(each) for each in following):
                self._bind(expression, statement)

    def _is_inside(self, operation: Operation, node: ast.expr) -> bool:
        """Whether an operation gives an expression in another one a new text."""
        return isinstance(operation, Replace) and (
            operation.expression is node or node in self._module.around(operation.expression)
        )

    def _source(self, node: ast.AST) -> str:
        """The text of an expression, with what was bound to a name."""
        start, end = self._module.span(node)
        spans = (
            (*self._module.span(each.expression), each.text)
            for each in self.operations
            if isinstance(each, Replace)
        )
        inside = (Edit(a - start, b - start, text) for a, b, text in spans if start <= a and b <= end)
        return applied(self._module.text[start:end], inside)

    def _plain(self, call: ast.Call) -> str:
        given = {each.arg: each.value for each in call.keywords}
        if None in given or len(call.args) > 2 or given.keys() - {"closure", "args", "run_async"}:
            raise Refused(f"the closure on line {call.lineno} is given in a way of its own")
        match given.get("run_async"):
            case None | ast.Constant(value=False):
                pass
            case _:
                raise Refused(f"the closure on line {call.lineno} runs in a thread of its own (`run_async`)")
        function = call.args[0] if call.args else given.get("closure")
        arguments = call.args[1] if len(call.args) > 1 else given.get("args")
        source = self._source
        match function:
            case None:
                raise Refused(f"the closure on line {call.lineno} is given in a way of its own")
            case ast.Lambda():
                raise Refused(f"the closure on line {call.lineno} looks up its variables when it runs")
            case ast.Call(args=[inner, *bound], keywords=keywords) if called(function) == "partial":
                if arguments is not None:
                    raise Refused(f"the closure on line {call.lineno} is given arguments in two ways")
                return f"{source(inner)}({', '.join(map(source, (*bound, *keywords)))})"
        match arguments:
            case None:
                self._require_own(function, call)
                return f"{source(function)}()"
            case ast.Tuple(elts=[_, *_]) | ast.List(elts=[_, *_]):
                return f"{source(function)}({self._between(arguments)})"
            case ast.Tuple() | ast.List():
                self._require_own(function, call)
                return f"{source(function)}()"
        return f"{source(function)}(*{source(arguments)})"

    def _require_own(self, function: ast.expr, call: ast.Call) -> None:
        """Without arguments a function of the loop's own function sees what its variables hold later."""
        around = function_around(self._module, call)
        local = {each.name for each in walk(around) if isinstance(each, ast.FunctionDef)}
        if isinstance(function, ast.Name) and function.id in local and around is not self._module.tree:
            raise Refused(f"the closure on line {call.lineno} looks up its variables when it runs")

    def _between(self, arguments: ast.Tuple | ast.List) -> str:
        """The text of several arguments, without a comma after a single one."""
        text = self._source(arguments)
        inner = text[1:-1] if text[:1] in "([" else text
        if "#" in inner.rstrip().rpartition("\n")[2]:
            return inner.lstrip()  # What stands below a comment must not become a part of it.
        return inner.strip().removesuffix(",").rstrip()


def fresh_name(expression: ast.expr, statement: ast.stmt, taken: set[str], usual: str = "") -> str:
    """A name for the value of an expression in a statement, which is taken from now on."""
    node = expression.value if isinstance(expression, ast.Subscript) else expression
    match expression, statement:
        case _ if _counts(node):
            wanted = "hits"
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int(index))), _:
            wanted = f"{name}_{index}"
        case _, ast.AugAssign(target=ast.Name(id=name)):
            wanted = f"batch_{name}"
        case _:
            wanted = usual or _NAMES.get(called(node)) or _NAMES.get(called(node).split("_")[-1], "value")
    if any(isinstance(each, ast.Name) and each.id == wanted for each in getattr(statement, "targets", ())):
        wanted = f"device_{wanted}"
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    taken.add(name)
    return name


def _may_be_left(statement: ast.stmt) -> bool:
    """Whether it is a `with` that only says how work is recorded."""
    return isinstance(statement, ast.With) and all(
        item.optional_vars is None and any(called(node) in _MODES for node in walk(item.context_expr))
        for item in statement.items
    )


def _counts(node: ast.expr) -> bool:
    """Whether it is the sum of a comparison."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Compare(), attr="sum")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="sum")):
            return called(inner) == "eq"
    return False
