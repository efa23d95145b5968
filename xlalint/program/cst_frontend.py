"""Source to `ast` through LibCST, for syntax that is newer than the Python we run on.

The nodes and positions are those that `ast.parse` would give, inside f-strings those of Python 3.13.
What the host's `ast` may have no node for takes the form of what it does: `type X = ...` is an
assignment, type parameters are left out, `except*` is `except`, a t-string is the tuple of what it
interpolates (nothing in it is formatted), a lazy import is an import, and `{**a for a in b}` has `a`
for key and value.

Known to go wrong in LibCST itself: `(x): int` is refused, and blanks between a
conversion and the end of a replacement field (`f"{x!r }"`) are lost, so that columns behind it on
the same line are too small.
"""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar, cast

import libcst as cst

from xlalint.program.nesting import nesting
from xlalint.stack import on_large_stack

Position = tuple[int, int]
Node = TypeVar("Node", bound=ast.AST)


def parse(text: str) -> ast.Module:
    """The syntax tree of a module.

    Raises:
        SyntaxError: LibCST cannot parse it either.
        RecursionError: it is nested too deeply.
    """
    if nesting(text) > _DEEPEST:
        raise RecursionError
    return on_large_stack(lambda: _parse(text))


_DEEPEST: Final = 1500
"""LibCST takes a second or two for this depth, much longer for twice as much, and for more than some
four times as much it overflows a stack of 8 MB, which ends the process."""


def _parse(text: str) -> ast.Module:
    try:
        module = cst.parse_module(text.removeprefix("\ufeff"))
    except cst.ParserSyntaxError as error:
        if "too many indentation levels" in error.message:
            raise RecursionError from None
        # LibCST's own line is that of a token behind it; its message has the right one.
        said = re.search(r"error at (\d+):", error.message)
        line = int(said[1]) if said else error.raw_line
        raise SyntaxError(error.message, ("<source>", line, 1, None)) from None
    except (cst.CSTValidationError, cst.CSTLogicError) as error:
        raise SyntaxError(str(error), ("<source>", 1, 1, None)) from None
    positions = _Positions(module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # escapes are other linters' business
        return _Converter(module, positions).module()


class _Positions:
    """Writes the module out again, token by token, and notes where each node begins and ends.

    It stands in for LibCST's own state of code generation. Columns are UTF-8 bytes, as in `ast`.
    """

    def __init__(self, module: cst.Module) -> None:
        self.default_indent = module.default_indent
        self.default_newline = module.default_newline
        self.provider = None
        self.tokens = ("",)  # only asked for being empty
        self._indents: list[str] = []
        self._line, self._column = 1, 0
        # Without and with the whitespace and parentheses around a node.
        self.inner: dict[int, tuple[Position, Position]] = {}
        self.outer: dict[int, tuple[Position, Position]] = {}
        self._begun: list[Position] = []
        module._codegen(self)  # type: ignore[arg-type]

    @property
    def _here(self) -> Position:
        return self._line, self._column

    def increase_indent(self, value: str) -> None:
        self._indents.append(value)

    def decrease_indent(self) -> None:
        self._indents.pop()

    def add_indent_tokens(self) -> None:
        for indent in self._indents:
            self.add_token(indent)

    def add_token(self, value: str) -> None:
        if "\n" in value or "\r" in value:
            lines = re.split(r"\r\n|\r|\n", value)
            self._line += len(lines) - 1
            self._column = 0
            value = lines[-1]
        self._column += len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))

    def before_codegen(self, node: cst.CSTNode) -> None:
        self._begun.append(self._here)

    def after_codegen(self, node: cst.CSTNode) -> None:
        self.outer[id(node)] = (self._begun.pop(), self._here)

    def pop_trailing_newline(self) -> None:
        """The last line of a file may lack its newline; no node ends behind it."""

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Iterator[None]:
        start = self._here
        yield
        self.inner[id(node)] = (start, self._here)


class _Converter:
    """One method per kind of LibCST node, of the same name."""

    def __init__(self, module: cst.Module, positions: _Positions) -> None:
        self._module = module
        self._inner = positions.inner
        self._outer = positions.outer

    def module(self) -> ast.Module:
        return ast.Module(self._statements(self._module.body), [])

    # Positions ----------------------------------------------------------------------------------

    def _span(self, node: cst.CSTNode) -> tuple[Position, Position]:
        """Where a node is, without the parentheses around it."""
        span = self._inner.get(id(node))
        return span if span is not None else self._outer[id(node)]

    def _start(self, node: cst.CSTNode) -> Position:
        """Where a node begins, with the parentheses around it."""
        brackets: Sequence[cst.CSTNode] = getattr(node, "lpar", ())
        return self._outer[id(brackets[0])][0] if brackets else self._span(node)[0]

    def _end(self, node: cst.CSTNode) -> Position:
        """Where a node ends, with the parentheses around it."""
        brackets: Sequence[cst.CSTNode] = getattr(node, "rpar", ())
        return self._outer[id(brackets[-1])][1] if brackets else self._span(node)[1]

    def _bracketed(self, node: cst.CSTNode, elements: Sequence[cst.CSTNode]) -> tuple[Position, Position]:
        """Where a tuple, generator or sequence of patterns is, with its own parentheses or without."""
        opening: Sequence[cst.CSTNode] = getattr(node, "lpar", ())
        closing: Sequence[cst.CSTNode] = getattr(node, "rpar", ())
        if opening:
            return self._outer[id(opening[-1])][0], self._outer[id(closing[0])][1]
        start, end = self._span(node)
        comma = getattr(elements[-1], "comma", None) if elements else None
        if isinstance(comma, cst.Comma):
            end = self._span(comma)[1]
        return start, end

    def _at(self, made: Node, node: cst.CSTNode) -> Node:
        return _place(made, *self._span(node))

    # Statements ---------------------------------------------------------------------------------

    def _statements(self, body: Sequence[cst.CSTNode]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for node in body:
            if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite):
                made += [self._convert(small) for small in node.body]
            else:
                made.append(self._convert(node))
        return made

    def _block(self, node: cst.BaseSuite) -> list[ast.stmt]:
        return self._statements([node] if isinstance(node, cst.SimpleStatementSuite) else node.body)

    def _compound(self, made: Node, node: cst.CSTNode, *blocks: Sequence[ast.AST]) -> Node:
        """A compound statement ends with the last statement in the last of its blocks."""
        last: Any = next(block[-1] for block in reversed(blocks) if block)
        return _place(made, self._span(node)[0], (last.end_lineno, last.end_col_offset))

    def _convert(self, node: cst.CSTNode) -> Any:
        return getattr(self, type(node).__name__)(node)

    def _optional(self, node: cst.CSTNode | None) -> Any:
        return None if node is None else self._convert(node)

    def Pass(self, node: cst.Pass) -> ast.stmt:
        return self._at(ast.Pass(), node)

    def Break(self, node: cst.Break) -> ast.stmt:
        return self._at(ast.Break(), node)

    def Continue(self, node: cst.Continue) -> ast.stmt:
        return self._at(ast.Continue(), node)

    def Expr(self, node: cst.Expr) -> ast.stmt:
        return self._small(ast.Expr(self._convert(node.value)), node, node.value)

    def _small(self, made: Node, node: cst.CSTNode, last: cst.CSTNode | None) -> Node:
        """A small statement ends with its last expression, parentheses and final comma included."""
        start, end = self._span(node)
        if last is not None:
            end = self._end(last)
            if isinstance(last, cst.Tuple) and not last.lpar:
                end = self._bracketed(last, last.elements)[1]
        return _place(made, start, end)

    def Del(self, node: cst.Del) -> ast.stmt:
        target = self._convert(node.target)
        bare = isinstance(node.target, cst.Tuple) and not node.target.lpar
        targets = target.elts if bare else [target]
        return self._small(ast.Delete([_in(t, ast.Del) for t in targets]), node, node.target)

    def Return(self, node: cst.Return) -> ast.stmt:
        return self._small(ast.Return(self._optional(node.value)), node, node.value)

    def Raise(self, node: cst.Raise) -> ast.stmt:
        cause = node.cause.item if node.cause is not None else None
        made = ast.Raise(self._optional(node.exc), self._optional(cause))
        return self._small(made, node, cause or node.exc)

    def Assert(self, node: cst.Assert) -> ast.stmt:
        made = ast.Assert(self._convert(node.test), self._optional(node.msg))
        return self._small(made, node, node.msg or node.test)

    def Global(self, node: cst.Global) -> ast.stmt:
        names = [_identifier(item.name) for item in node.names]
        return self._small(ast.Global(names), node, node.names[-1].name)

    def Nonlocal(self, node: cst.Nonlocal) -> ast.stmt:
        names = [_identifier(item.name) for item in node.names]
        return self._small(ast.Nonlocal(names), node, node.names[-1].name)

    def Import(self, node: cst.Import) -> ast.stmt:
        return self._at(ast.Import([self._alias(alias) for alias in node.names]), node)

    def ImportFrom(self, node: cst.ImportFrom) -> ast.stmt:
        if isinstance(node.names, cst.ImportStar):
            names = [self._at(ast.alias("*"), node.names)]
        else:
            names = [self._alias(alias) for alias in node.names]
        module = _dotted(node.module) if node.module is not None else None
        return self._at(ast.ImportFrom(module, names, len(node.relative)), node)

    LazyImport = Import
    LazyImportFrom = ImportFrom

    def _alias(self, node: cst.ImportAlias) -> ast.alias:
        given = node.asname.name if node.asname is not None else None
        made = ast.alias(_dotted(node.name), _dotted(given) if given is not None else None)
        return _place(made, self._start(node.name), self._end(given or node.name))

    def Assign(self, node: cst.Assign) -> ast.stmt:
        targets = [_in(self._convert(target.target), ast.Store) for target in node.targets]
        return self._small(ast.Assign(targets, self._convert(node.value)), node, node.value)

    def AnnAssign(self, node: cst.AnnAssign) -> ast.stmt:
        simple = isinstance(node.target, cst.Name) and not node.target.lpar
        target: Any = _in(self._convert(node.target), ast.Store)
        annotation = node.annotation.annotation
        made = ast.AnnAssign(target, self._convert(annotation), self._optional(node.value), int(simple))
        return self._small(made, node, node.value or annotation)

    def AugAssign(self, node: cst.AugAssign) -> ast.stmt:
        target: Any = _in(self._convert(node.target), ast.Store)
        operator = _OPERATORS[type(node.operator).__name__.removesuffix("Assign")]()
        return self._small(ast.AugAssign(target, operator, self._convert(node.value)), node, node.value)

    def TypeAlias(self, node: cst.TypeAlias) -> ast.stmt:
        name = _in(self._convert(node.name), ast.Store)
        value = self._convert(node.value)
        kind = getattr(ast, "TypeAlias", None)
        made = kind(name, self._type_parameters(node), value) if kind else ast.Assign([name], value)
        return self._small(cast(ast.stmt, made), node, node.value)

    def If(self, node: cst.If) -> ast.stmt:
        body = self._block(node.body)
        orelse = [self._convert(node.orelse)] if isinstance(node.orelse, cst.If) else self._else(node.orelse)
        return self._compound(ast.If(self._convert(node.test), body, orelse), node, body, orelse)

    def _else(self, node: cst.Else | cst.Finally | None) -> list[ast.stmt]:
        return self._block(node.body) if node is not None else []

    def While(self, node: cst.While) -> ast.stmt:
        body, orelse = self._block(node.body), self._else(node.orelse)
        return self._compound(ast.While(self._convert(node.test), body, orelse), node, body, orelse)

    def For(self, node: cst.For) -> ast.stmt:
        kind = ast.AsyncFor if node.asynchronous is not None else ast.For
        target = _in(self._convert(node.target), ast.Store)
        body, orelse = self._block(node.body), self._else(node.orelse)
        made = kind(target, self._convert(node.iter), body, orelse)
        return self._compound(cast(ast.stmt, made), node, body, orelse)

    def With(self, node: cst.With) -> ast.stmt:
        kind = ast.AsyncWith if node.asynchronous is not None else ast.With
        items = []
        for item in node.items:
            given = _in(self._convert(item.asname.name), ast.Store) if item.asname is not None else None
            items.append(ast.withitem(self._convert(item.item), given))
        body = self._block(node.body)
        return self._compound(cast(ast.stmt, kind(items, body)), node, body)

    def Try(self, node: cst.Try | cst.TryStar) -> ast.stmt:
        kind = getattr(ast, "TryStar", ast.Try) if isinstance(node, cst.TryStar) else ast.Try
        body = self._block(node.body)
        handlers = [self._handler(handler) for handler in node.handlers]
        orelse, finalbody = self._else(node.orelse), self._else(node.finalbody)
        made = kind(body, handlers, orelse, finalbody)
        return self._compound(cast(ast.stmt, made), node, body, handlers, orelse, finalbody)

    TryStar = Try

    def _handler(self, node: cst.ExceptHandler | cst.ExceptStarHandler) -> ast.ExceptHandler:
        name = _identifier(node.name.name) if node.name is not None else None
        body = self._block(node.body)
        return self._compound(ast.ExceptHandler(self._optional(node.type), name, body), node, body)

    def FunctionDef(self, node: cst.FunctionDef) -> ast.stmt:
        kind = ast.AsyncFunctionDef if node.asynchronous is not None else ast.FunctionDef
        body = self._block(node.body)
        made = kind(
            _identifier(node.name), self._parameters(node.params), body,
            [self._convert(decorator.decorator) for decorator in node.decorators],
            self._convert(node.returns.annotation) if node.returns is not None else None,
        )  # fmt: skip
        self._add_type_parameters(made, node)
        return self._compound(made, node, body)

    def ClassDef(self, node: cst.ClassDef) -> ast.stmt:
        body = self._block(node.body)
        arguments, keywords = self._arguments([*node.bases, *node.keywords])
        decorators = [self._convert(decorator.decorator) for decorator in node.decorators]
        made = ast.ClassDef(_identifier(node.name), arguments, keywords, body, decorators)
        self._add_type_parameters(made, node)
        return self._compound(made, node, body)

    def _add_type_parameters(self, made: ast.AST, node: cst.FunctionDef | cst.ClassDef) -> None:
        if "type_params" in made._fields:
            made.type_params = self._type_parameters(node)  # type: ignore[attr-defined]

    def _type_parameters(self, node: cst.FunctionDef | cst.ClassDef | cst.TypeAlias) -> list[ast.AST]:
        if node.type_parameters is None:
            return []
        made = []
        for parameter in node.type_parameters.params:
            named = parameter.param
            kind = getattr(ast, type(named).__name__)  # TypeVar, TypeVarTuple or ParamSpec
            result = kind(_identifier(named.name))
            start, end = self._start(named), self._end(named.name)
            if isinstance(named, cst.TypeVar) and named.bound is not None:
                result.bound = self._convert(named.bound)
                end = self._end(named.bound)
            if parameter.default is not None:
                default = self._convert(parameter.default)
                end = self._end(parameter.default)
                if parameter.star == "*":
                    star = (default.lineno, default.col_offset - 1)
                    default = _place(ast.Starred(default, ast.Load()), star, end)
                result.default_value = default
            made.append(_place(result, start, end))
        return made

    def _parameters(self, node: cst.Parameters) -> ast.arguments:
        positional = [*node.posonly_params, *node.params]
        return ast.arguments(
            posonlyargs=[self._parameter(parameter) for parameter in node.posonly_params],
            args=[self._parameter(parameter) for parameter in node.params],
            vararg=self._parameter(node.star_arg) if isinstance(node.star_arg, cst.Param) else None,
            kwonlyargs=[self._parameter(parameter) for parameter in node.kwonly_params],
            kw_defaults=[self._optional(parameter.default) for parameter in node.kwonly_params],
            kwarg=self._parameter(node.star_kwarg) if node.star_kwarg is not None else None,
            defaults=[self._convert(p.default) for p in positional if p.default is not None],
        )

    def _parameter(self, node: cst.Param) -> ast.arg:
        end, annotation = self._end(node.name), None
        if node.annotation is not None:
            annotation = self._convert(node.annotation.annotation)
            end = self._end(node.annotation.annotation)
        return _place(ast.arg(_identifier(node.name), annotation), self._start(node.name), end)

    # Patterns -----------------------------------------------------------------------------------

    def Match(self, node: cst.Match) -> ast.stmt:
        cases = []
        for case in node.cases:
            pattern, guard = self._convert(case.pattern), self._optional(case.guard)
            cases.append(ast.match_case(pattern, guard, self._block(case.body)))
        return self._compound(ast.Match(self._convert(node.subject), cases), node, cases[-1].body)

    def MatchValue(self, node: cst.MatchValue) -> ast.pattern:
        return self._at(ast.MatchValue(self._convert(node.value)), node.value)

    def MatchSingleton(self, node: cst.MatchSingleton) -> ast.pattern:
        return self._at(ast.MatchSingleton(_SINGLETONS[node.value.value]), node.value)

    def MatchList(self, node: cst.MatchList | cst.MatchTuple) -> ast.pattern:
        made = ast.MatchSequence([self._convert(element) for element in node.patterns])
        if isinstance(node, cst.MatchList) and node.lbracket is not None:
            return self._at(made, node)
        return _place(made, *self._bracketed(node, node.patterns))

    MatchTuple = MatchList

    def MatchSequenceElement(self, node: cst.MatchSequenceElement) -> ast.pattern:
        return cast(ast.pattern, self._convert(node.value))

    def MatchStar(self, node: cst.MatchStar) -> ast.pattern:
        name = _identifier(node.name) if node.name is not None and node.name.value != "_" else None
        start = self._span(node)[0]
        end = self._end(node.name) if node.name is not None else (start[0], start[1] + 2)
        return _place(ast.MatchStar(name), start, end)

    def MatchMapping(self, node: cst.MatchMapping) -> ast.pattern:
        keys = [self._convert(element.key) for element in node.elements]
        patterns = [self._convert(element.pattern) for element in node.elements]
        rest = _identifier(node.rest) if node.rest is not None else None
        return self._at(ast.MatchMapping(keys, patterns, rest), node)

    def MatchClass(self, node: cst.MatchClass) -> ast.pattern:
        made = ast.MatchClass(
            self._convert(node.cls),
            [self._convert(element) for element in node.patterns],
            [_identifier(element.key) for element in node.kwds],
            [self._convert(element.pattern) for element in node.kwds],
        )
        return self._at(made, node)

    def MatchAs(self, node: cst.MatchAs) -> ast.pattern:
        name = _identifier(node.name) if node.name is not None and node.name.value != "_" else None
        return self._at(ast.MatchAs(self._optional(node.pattern), name), node)

    def MatchOr(self, node: cst.MatchOr) -> ast.pattern:
        return self._at(ast.MatchOr([self._convert(element.pattern) for element in node.patterns]), node)

    # Expressions --------------------------------------------------------------------------------

    def Name(self, node: cst.Name) -> ast.expr:
        if node.value in _SINGLETONS:
            return self._at(ast.Constant(_SINGLETONS[node.value]), node)
        return self._at(ast.Name(_identifier(node), ast.Load()), node)

    def Integer(self, node: cst.Integer | cst.Float | cst.Imaginary) -> ast.expr:
        return self._at(ast.Constant(_literal(node.value)), node)

    Float = Imaginary = Integer

    def Ellipsis(self, node: cst.Ellipsis) -> ast.expr:
        return self._at(ast.Constant(...), node)

    def Attribute(self, node: cst.Attribute) -> ast.expr:
        return self._at(ast.Attribute(self._convert(node.value), _identifier(node.attr), ast.Load()), node)

    def Subscript(self, node: cst.Subscript) -> ast.expr:
        elements = [self._index(element.slice) for element in node.slice]
        index = elements[0]
        comma = node.slice[-1].comma
        if len(elements) > 1 or isinstance(comma, cst.Comma) or isinstance(index, ast.Starred):
            end = (elements[-1].end_lineno or 0, elements[-1].end_col_offset or 0)
            if isinstance(node.slice[-1].slice, cst.Index):
                end = self._end(node.slice[-1].slice.value)
            if isinstance(comma, cst.Comma):
                end = self._span(comma)[1]
            first = node.slice[0].slice
            start = (elements[0].lineno, elements[0].col_offset)
            if isinstance(first, cst.Index) and not first.star:
                start = self._start(first.value)
            index = _place(ast.Tuple(elements, ast.Load()), start, end)
        return self._at(ast.Subscript(self._convert(node.value), index, ast.Load()), node)

    def _index(self, node: cst.BaseSlice) -> ast.expr:
        if isinstance(node, cst.Slice):
            made = ast.Slice(
                self._optional(node.lower), self._optional(node.upper), self._optional(node.step)
            )
            start = self._start(node.lower) if node.lower is not None else self._span(node.first_colon)[0]
            colon = node.second_colon if isinstance(node.second_colon, cst.Colon) else node.first_colon
            last = node.step
            if last is None and colon is node.first_colon:
                last = node.upper
            return _place(made, start, self._end(last) if last is not None else self._span(colon)[1])
        index = cst.ensure_type(node, cst.Index)
        value = self._convert(index.value)
        if not index.star:
            return cast(ast.expr, value)
        return _place(ast.Starred(value, ast.Load()), self._outer[id(index)][0], self._end(index.value))

    def Call(self, node: cst.Call) -> ast.expr:
        arguments, keywords = self._arguments(node.args)
        only = node.args[0].value if len(node.args) == 1 else None
        if isinstance(only, cst.GeneratorExp) and not only.lpar:
            # The parentheses of the call are the generator's too.
            _place(arguments[0], self._outer[id(node.whitespace_after_func)][1], self._span(node)[1])
        return self._at(ast.Call(self._convert(node.func), arguments, keywords), node)

    def _arguments(self, nodes: Sequence[cst.Arg]) -> tuple[list[ast.expr], list[ast.keyword]]:
        arguments: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for node in nodes:
            value = self._convert(node.value)
            start, end = self._outer[id(node)][0], self._end(node.value)
            if node.star == "*":
                arguments.append(_place(ast.Starred(value, ast.Load()), start, end))
            elif node.star == "**":
                keywords.append(_place(ast.keyword(None, value), start, end))
            elif node.keyword is not None:
                keywords.append(_place(ast.keyword(_identifier(node.keyword), value), start, end))
            else:
                arguments.append(value)
        return arguments, keywords

    def UnaryOperation(self, node: cst.UnaryOperation) -> ast.expr:
        operator = _UNARY_OPERATORS[type(node.operator).__name__]()
        return self._at(ast.UnaryOp(operator, self._convert(node.expression)), node)

    def BinaryOperation(self, node: cst.BinaryOperation) -> ast.expr:
        operator = _OPERATORS[type(node.operator).__name__]()
        return self._at(ast.BinOp(self._convert(node.left), operator, self._convert(node.right)), node)

    def BooleanOperation(self, node: cst.BooleanOperation) -> ast.expr:
        kind = type(node.operator)
        values: list[cst.BaseExpression] = [node.right]
        left = node.left
        while isinstance(left, cst.BooleanOperation) and type(left.operator) is kind and not left.lpar:
            values.append(left.right)
            left = left.left
        operator = ast.And() if kind is cst.And else ast.Or()
        made = ast.BoolOp(operator, [self._convert(value) for value in (left, *reversed(values))])
        return self._at(made, node)

    def Comparison(self, node: cst.Comparison) -> ast.expr:
        operators = [_COMPARISONS[type(target.operator).__name__]() for target in node.comparisons]
        compared = [self._convert(target.comparator) for target in node.comparisons]
        return self._at(ast.Compare(self._convert(node.left), operators, compared), node)

    def IfExp(self, node: cst.IfExp) -> ast.expr:
        test, body, orelse = self._convert(node.test), self._convert(node.body), self._convert(node.orelse)
        return self._at(ast.IfExp(test, body, orelse), node)

    def Lambda(self, node: cst.Lambda) -> ast.expr:
        return self._at(ast.Lambda(self._parameters(node.params), self._convert(node.body)), node)

    def Await(self, node: cst.Await) -> ast.expr:
        return self._at(ast.Await(self._convert(node.expression)), node)

    def Yield(self, node: cst.Yield) -> ast.expr:
        if isinstance(node.value, cst.From):
            return self._at(ast.YieldFrom(self._convert(node.value.item)), node)
        made = self._at(ast.Yield(self._optional(node.value)), node)
        if isinstance(node.value, cst.Tuple) and made.value is not None and not node.value.lpar:
            made.end_lineno, made.end_col_offset = made.value.end_lineno, made.value.end_col_offset
        return made

    def NamedExpr(self, node: cst.NamedExpr) -> ast.expr:
        target = _in(self._convert(node.target), ast.Store)
        return self._at(ast.NamedExpr(cast(ast.Name, target), self._convert(node.value)), node)

    def Tuple(self, node: cst.Tuple) -> ast.expr:
        made = ast.Tuple([self._convert(element) for element in node.elements], ast.Load())
        return _place(made, *self._bracketed(node, node.elements))

    def List(self, node: cst.List) -> ast.expr:
        return self._at(ast.List([self._convert(element) for element in node.elements], ast.Load()), node)

    def Set(self, node: cst.Set) -> ast.expr:
        return self._at(ast.Set([self._convert(element) for element in node.elements]), node)

    def Element(self, node: cst.Element) -> ast.expr:
        return cast(ast.expr, self._convert(node.value))

    def StarredElement(self, node: cst.StarredElement) -> ast.expr:
        made = ast.Starred(self._convert(node.value), ast.Load())
        return _place(made, self._span(node)[0], self._end(node.value))

    def Dict(self, node: cst.Dict) -> ast.expr:
        keys: list[ast.expr | None] = []
        values = []
        for element in node.elements:
            keys.append(self._convert(element.key) if isinstance(element, cst.DictElement) else None)
            values.append(self._convert(element.value))
        return self._at(ast.Dict(keys, values), node)

    def GeneratorExp(self, node: cst.GeneratorExp) -> ast.expr:
        made = ast.GeneratorExp(self._convert(node.elt), self._comprehensions(node.for_in))
        return _place(made, *self._bracketed(node, ()))

    def ListComp(self, node: cst.ListComp) -> ast.expr:
        return self._at(ast.ListComp(self._convert(node.elt), self._comprehensions(node.for_in)), node)

    def SetComp(self, node: cst.SetComp) -> ast.expr:
        return self._at(ast.SetComp(self._convert(node.elt), self._comprehensions(node.for_in)), node)

    def DictComp(self, node: cst.DictComp) -> ast.expr:
        key, value = self._convert(node.key), self._convert(node.value)
        return self._at(ast.DictComp(key, value, self._comprehensions(node.for_in)), node)

    def StarredDictComp(self, node: cst.StarredDictComp) -> ast.expr:
        key, value = self._convert(node.value), self._convert(node.value)
        return self._at(ast.DictComp(key, value, self._comprehensions(node.for_in)), node)

    def _comprehensions(self, node: cst.CompFor | None) -> list[ast.comprehension]:
        made = []
        while node is not None:
            target = _in(self._convert(node.target), ast.Store)
            tests = [self._convert(test.test) for test in node.ifs]
            is_async = int(node.asynchronous is not None)
            made.append(ast.comprehension(target, self._convert(node.iter), tests, is_async))
            node = node.inner_for_in
        return made

    # Strings ------------------------------------------------------------------------------------

    def SimpleString(self, node: cst.SimpleString) -> ast.expr:
        return self._at(ast.Constant(_literal(node.value), _kind(node)), node)

    def FormattedString(self, node: cst.FormattedString) -> ast.expr:
        return self._at(ast.JoinedStr(_merged(self._pieces(node))), node)

    def TemplatedString(self, node: cst.TemplatedString) -> ast.expr:
        values = [
            self._convert(p.expression) for p in node.parts if isinstance(p, cst.TemplatedStringExpression)
        ]
        return self._at(ast.Tuple(values, ast.Load()), node)

    def ConcatenatedString(self, node: cst.ConcatenatedString) -> ast.expr:
        parts: list[cst.BaseExpression] = [node.left]
        right: cst.BaseExpression = node.right
        while isinstance(right, cst.ConcatenatedString):
            parts.append(right.left)
            right = right.right
        parts.append(right)
        pieces: list[ast.expr] = []
        for part in parts:
            pieces += self._pieces(part) if isinstance(part, cst.FormattedString) else [self._convert(part)]
        if any(isinstance(part, cst.FormattedString) for part in parts):
            return self._at(ast.JoinedStr(_merged(pieces)), node)
        (constant,) = _merged(pieces, keep_empty=True)
        return self._at(constant, node)

    def _pieces(self, node: cst.FormattedString) -> list[ast.expr]:
        """Texts and formatted values; a text may be empty, and stand beside another."""
        quote = node.start.lstrip("fFrR")
        is_raw = "r" in node.start.lower()
        return [piece for part in node.parts for piece in self._piece(part, quote, is_raw)]

    def _piece(self, node: cst.BaseFormattedStringContent, quote: str, is_raw: bool) -> Iterator[ast.expr]:
        if isinstance(node, cst.FormattedStringText):
            yield _place(ast.Constant(_text(node.value, quote, is_raw)), *self._outer[id(node)])
            return
        value = cst.ensure_type(node, cst.FormattedStringExpression)
        start, end = self._outer[id(value)]
        conversion = ord(value.conversion) if value.conversion else -1
        if value.equal is not None:
            code = self._module.code_for_node
            parts = (
                value.whitespace_before_expression, value.expression, value.equal,
                value.whitespace_after_expression,
            )  # fmt: skip
            shown = "".join(map(code, parts))
            if conversion == -1 and value.format_spec is None:
                conversion = ord("r")
            behind = self._outer[id(value.whitespace_after_expression)][1]
            yield _place(ast.Constant(shown), (start[0], start[1] + 1), behind)
        spec = None
        if value.format_spec is not None:
            pieces = [p for part in value.format_spec for p in self._piece(part, quote, is_raw)]
            # From the colon to the closing brace.
            colon = self._outer[id(value.whitespace_after_expression)][1]
            colon = (colon[0], colon[1] + 2) if value.conversion else colon
            spec = _place(ast.JoinedStr(_merged(pieces)), colon, (end[0], end[1] - 1))
        yield _place(ast.FormattedValue(self._convert(value.expression), conversion, spec), start, end)


_SINGLETONS: Final = {"None": None, "True": True, "False": False}
_OPERATORS: Final[dict[str, type[ast.operator]]] = {
    "Add": ast.Add, "Subtract": ast.Sub, "Multiply": ast.Mult, "MatrixMultiply": ast.MatMult,
    "Divide": ast.Div, "FloorDivide": ast.FloorDiv, "Modulo": ast.Mod, "Power": ast.Pow,
    "LeftShift": ast.LShift, "RightShift": ast.RShift, "BitAnd": ast.BitAnd, "BitOr": ast.BitOr,
    "BitXor": ast.BitXor,
}  # fmt: skip
_UNARY_OPERATORS: Final[dict[str, type[ast.unaryop]]] = {
    "Plus": ast.UAdd, "Minus": ast.USub, "BitInvert": ast.Invert, "Not": ast.Not,
}  # fmt: skip
_COMPARISONS: Final[dict[str, type[ast.cmpop]]] = {
    "Equal": ast.Eq, "NotEqual": ast.NotEq, "LessThan": ast.Lt, "LessThanEqual": ast.LtE,
    "GreaterThan": ast.Gt, "GreaterThanEqual": ast.GtE, "In": ast.In, "NotIn": ast.NotIn,
    "Is": ast.Is, "IsNot": ast.IsNot,
}  # fmt: skip
_QUOTES: Final = re.compile(r"\\.|[\"']", re.DOTALL)
"""The first line of code is indented."""
_BRACES: Final = re.compile(r"(\\N\{[^}]*\})|\{\{|\}\}")


def _place(made: Node, start: Position, end: Position) -> Node:
    made.lineno, made.col_offset = start  # type: ignore[attr-defined]
    made.end_lineno, made.end_col_offset = end  # type: ignore[attr-defined]
    return made


def _in(target: ast.expr, context: type[ast.Store] | type[ast.Del]) -> ast.expr:
    """The same expression as something that is bound or deleted."""
    if isinstance(target, ast.Name | ast.Attribute | ast.Subscript | ast.Starred | ast.Tuple | ast.List):
        target.ctx = context()
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            _in(element, context)
    elif isinstance(target, ast.Starred):
        _in(target.value, context)
    return target


def _dotted(node: cst.CSTNode) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{_identifier(node.attr)}"
    return _identifier(node)


def _identifier(node: cst.CSTNode) -> str:
    name = cst.ensure_type(node, cst.Name).value
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except ValueError as error:  # more digits than Python converts
        raise SyntaxError(str(error)) from None


def _kind(node: cst.SimpleString) -> str | None:
    return "u" if node.value[:1] == "u" else None


def _text(raw: str, quote: str, is_raw: bool) -> str:
    """What a stretch of text in an f-string stands for."""
    if is_raw:
        return re.sub(r"\r\n?", "\n", raw.replace("{{", "{").replace("}}", "}"))
    single = _BRACES.sub(lambda match: match[1] or match[0][0], raw)
    if (len(single) - len(single.rstrip("\\"))) % 2:
        single += "\\"  # what it would escape is the brace behind
    # A text may end with one of the quotes of which three end the string.
    closed = _QUOTES.sub(lambda match: match[0] if len(match[0]) > 1 else f"\\{match[0]}", single)
    value = _literal(f"{quote}{closed}{quote}")
    assert isinstance(value, str)
    return value


def _merged(pieces: list[ast.expr], *, keep_empty: bool = False) -> list[ast.expr]:
    """Adjacent texts become one, as `ast` has them, and empty ones go."""
    made: list[ast.expr] = []
    for piece in pieces:
        last = made[-1] if made else None
        if isinstance(piece, ast.Constant) and isinstance(last, ast.Constant):
            last.value = cast(Any, last.value) + piece.value
            last.end_lineno, last.end_col_offset = piece.end_lineno, piece.end_col_offset
        else:
            made.append(piece)
    if keep_empty:
        return made
    return [piece for piece in made if not (isinstance(piece, ast.Constant) and piece.value == "")]
