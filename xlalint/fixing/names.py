"""Names that give way to others, with the arguments of their calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from xlalint.cure import AutocastOnXla, Cure, DropArgument, PassArgument, Rename, RenameKeyword, WriteTuple
from xlalint.fixing import dropping, spelling
from xlalint.fixing.bindings import Imported, Scope
from xlalint.fixing.devices import require_no_cuda, require_no_way_of_its_own, require_xla_alone
from xlalint.fixing.edits import Edit
from xlalint.fixing.loaders import PARALLEL_LOADER, of_one_device
from xlalint.fixing.module import Module, called
from xlalint.fixing.nodes import walk
from xlalint.fixing.places import function_around, qualified, spelled_as
from xlalint.fixing.rewrite import Need, Refused, Rewrite, Rewriter
from xlalint.fixing.rounds import require_trains_alone
from xlalint.knowledge import lifecycle
from xlalint.lazy.events import ApiUsed
from xlalint.lazy.site import Site
from xlalint.program.usage import api_uses
from xlalint.versions import Version

Name = ast.Name | ast.Attribute

# Names ------------------------------------------------------------------------------------------


def rename(module: Module, cure: Rename) -> Rewrite:
    """Another name takes the place of one, wherever it is imported from."""
    node = module.at(cure.site)
    if isinstance(node, ast.alias):
        return _import(module, cure, node)
    name = _name_at(node)
    package = cure.successor.partition(".")[0]
    if module.callees is not None and module.callees.is_part_of(module, package):
        raise Refused(f"this is a part of `{package}` itself")
    origins = spelling.origins(module, name)
    _spells(module, name, cure.name, origins)
    moved = _moved(module, cure, origins)
    if moved is not None:
        return moved
    if cure.name == PARALLEL_LOADER:
        return of_one_device(module, cure, name)
    if lifecycle.is_module(cure.name):
        raise Refused(f"the module `{_last(cure.name)}` itself is passed on")
    edits = _arguments(module, cure, name)
    text, _ = spelling.spelling(module, cure.successor, name)
    edits.append(Edit(*module.span(name), text))
    edits += [each for each in _aligned(module, name, text) if not any(map(each.overlaps, edits))]
    return Rewrite(tuple(edits), needs=(Need(cure.successor, name),), leaves=_left(cure, origins))


def _aligned(module: Module, name: Name, text: str) -> Iterator[Edit]:
    """The edits that keep arguments on lines of their own below the first one, where they stand there."""
    start, end = module.span(name)
    call = module.parents[name]
    if not isinstance(call, ast.Call) or call.func is not name or name.lineno != name.end_lineno:
        return
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if any(each.lineno != each.end_lineno for each in arguments):
        return
    column, shift = end + 1 - module.line_start(end), len(text) - (end - start)
    for each in arguments:
        begin = module.span(each)[0]
        if each.lineno > name.lineno and module.indent(begin) == " " * column:
            line = module.line_start(begin)
            yield Edit(line, line - min(shift, 0), " " * shift)


def _left(cure: Rename, origins: Sequence[tuple[Imported, Scope]]) -> tuple[str, ...]:
    """The qualified names that a file no longer writes, also as another module passes them on."""
    return (cure.name, *(imported.target for imported, _ in origins))


def _name_at(node: ast.AST | None) -> Name:
    """The name at a place, or what is called there."""
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call):
        node = node.func
    if not isinstance(node, Name):
        raise Refused("there is no such name here")
    return node


def _spells(module: Module, node: Name, name: str, origins: Sequence[tuple[Imported, Scope]]) -> None:
    """Make sure that a name is written, and not another that means the same in other modules."""
    last = _last(name)
    spelled = node.attr if isinstance(node, ast.Attribute) else node.id
    meant = {_last(imported.target) for imported, _ in origins} if isinstance(node, ast.Name) else set()
    if spelled != last and meant != {last}:
        raise Refused(f"it is called `{spelled}` here")
    if not origins and not any(spelling.may_bring(module, star, name) for star in module.scopes.stars):
        raise Refused(f"no import of this file binds `{spelling.root(module, node)}`")
    written = module.source(node)
    if "#" in written:
        raise Refused("a comment stands in the middle of the name")
    if re.sub(r"[\s\\()]", "", written) != ast.unparse(node):
        raise Refused("it is not seen where in the string it is written")  # before Python 3.12


def _last(name: str) -> str:
    return name.rpartition(".")[2]


# Imports ----------------------------------------------------------------------------------------


def _import(module: Module, cure: Rename, alias: ast.alias) -> Rewrite:
    """What is imported changes with all its uses, or goes once nothing uses it any longer."""
    if alias.name == "*":
        raise Refused("it imports all names of the module")
    imported, scope = next(each for each in module.scopes.imports if each[0].alias is alias)
    moved = _moved(module, cure, [(imported, scope)])
    if moved is not None:
        return moved
    used = dropping.first_use(module, imported, scope)
    if used is not None:
        raise Refused(f"line {used} still uses it")
    taken = scope.node is module.tree and module.is_taken(imported.name)
    if taken or dropping.is_exported(module, imported, scope):
        raise Refused("others may import it from here")
    return Rewrite(dropping.without(module, [(imported, scope)]))


def _moved(module: Module, cure: Rename, origins: Sequence[tuple[Imported, Scope]]) -> Rewrite | None:
    """Only the import changes, where it brings nothing but what has moved, under a name that stays."""
    if len(origins) != 1:
        return None
    statement = origins[0][0].statement
    moves = []
    for imported, scope in module.scopes.imports:
        if imported.statement is statement:
            successor = _place_of(module, imported, scope, cure.oldest)
            if successor is None:
                return None
            moves.append((imported, successor))
    edits: list[Edit] = []
    if isinstance(statement, ast.Import):
        for imported, successor in moves:
            edits.append(_other_name(module, imported.alias, successor))
        return Rewrite(tuple(edits))
    holders = {successor.rpartition(".")[0] for _, successor in moves}
    if len(holders) != 1 or statement.module is None:
        return None
    start = module.text.find(statement.module, module.span(statement)[0], module.span(statement)[1])
    if start < 0:
        return None
    edits.append(Edit(start, start + len(statement.module), *holders))
    for imported, successor in moves:
        edits.append(_other_name(module, imported.alias, _last(successor)))
    return Rewrite(tuple(edit for edit in edits if edit.text != module.text[edit.start : edit.end]))


def _other_name(module: Module, alias: ast.alias, name: str) -> Edit:
    start, end = module.span(alias)
    return Edit(start, end if alias.asname == name else start + len(alias.name), name)


def _place_of(module: Module, imported: Imported, scope: Scope, oldest: Version) -> str | None:
    """Where what is imported has moved, if the file may go on to use it under the same name."""
    successor = _successor(imported.target, oldest)
    if imported.is_plain or successor is None:
        return None
    name, last = imported.name, _last(successor)
    if name != last and name == _last(imported.target):
        return None  # such as `pjrt`, which nobody would call the runtime
    for use in _uses(module):
        node = module.at(use.site)
        if isinstance(node, ast.alias):
            if use.protected and node is imported.alias:
                return None
            continue
        if use.keyword or not any(each is imported for each, _ in spelling.origins(module, _name_at(node))):
            continue
        rest = use.name.removeprefix(imported.target)
        if not rest and lifecycle.is_module(use.name):
            return None
        life = lifecycle.of(use.name)
        if (
            use.protected
            or _successor(use.name, oldest) != f"{successor}{rest}"
            or life is None
            or life.keywords
        ):
            return None
    return successor


def _successor(name: str, oldest: Version) -> str | None:
    """What does exactly the same as a name in all releases from `oldest` on."""
    life = lifecycle.of(name)
    if life is None or not life.exact or life.successor_since is None or life.successor_since > oldest:
        return None
    return life.successor


@lru_cache(maxsize=1)
def _uses(module: Module) -> tuple[ApiUsed, ...]:
    """The uses of torch_xla's names in the file, as far as its own imports say what they mean."""

    def meaning(text: str) -> str | None:
        first, _, rest = text.partition(".")
        for imported in module.scopes.module.imports.get(first, ()):
            return f"{imported.target}.{rest}" if rest else imported.target
        return None

    return tuple(api_uses(module.tree, module.file.lines, meaning, str(module.file.path)))


# Arguments --------------------------------------------------------------------------------------


def _arguments(module: Module, cure: Rename, name: Name) -> list[Edit]:
    """The edits that pass the same arguments to the successor."""
    if all(own == other for own, other in cure.parameters):
        return []
    parent = module.parents.get(name)
    called = _last(cure.name)
    if isinstance(parent, ast.Call) and parent.func is name:
        return _mapped(module, cure, parent)
    if (
        isinstance(parent, ast.Call)
        and parent.args[:1] == [name]
        and ast.unparse(parent.func).endswith("partial")
    ):
        if len(parent.args) + len(parent.keywords) == 1:
            return []
        raise Refused(f"`partial` passes arguments to `{called}`")
    if isinstance(parent, ast.Attribute | ast.Subscript):
        raise Refused(f"something is asked of `{called}` itself")
    raise Refused(f"it is passed on, and `{_last(cure.successor)}` takes other arguments than `{called}`")


def _mapped(module: Module, cure: Rename, call: ast.Call) -> list[Edit]:
    successor = _last(cure.successor)
    known, order = dict(cure.parameters), [own for own, _ in cure.parameters]
    edits: list[Edit] = []
    left_out: list[ast.expr | ast.keyword] = []
    for index, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            raise Refused("it is not seen what `*` passes")
        if index >= len(order):
            raise Refused(f"`{successor}` does not take so many arguments")
        own = order[index]
        if _is_omitted(module, cure, own, argument):
            left_out.append(argument)
        elif not known[own]:
            raise Refused(f"`{successor}` does not take `{own}`")
        elif left_out or known[own] in _CONVERTED:
            edits += _by_keyword(module, known[own], argument, argument, left_out)
    for keyword in call.keywords:
        if keyword.arg is None:
            raise Refused("it is not seen what `**` passes")
        if _is_omitted(module, cure, keyword.arg, keyword.value):
            left_out.append(keyword)
        elif not known.get(keyword.arg):
            raise Refused(f"`{successor}` does not take `{keyword.arg}`")
        elif known[keyword.arg] != keyword.arg:
            edits += _by_keyword(module, known[keyword.arg], keyword, keyword.value, left_out)
    return [*edits, *_left_out(module, call, left_out)]


def _is_omitted(module: Module, cure: Rename, parameter: str, value: ast.expr) -> bool:
    allowed = [literal for own, literal in cure.omitted if own == parameter]
    if "" in allowed:
        if any(isinstance(each, ast.Call | ast.Await | ast.NamedExpr) for each in walk(value)):
            raise Refused(f"`{parameter}` would go, and with it the call that it is given")
        return True
    return ast.unparse(value) in allowed


def _by_keyword(
    module: Module, parameter: str, argument: ast.expr | ast.keyword, value: ast.expr,
    left_out: list[ast.expr | ast.keyword],
) -> Iterator[Edit]:  # fmt: skip
    """An argument is passed under another name, perhaps converted."""
    text = _CONVERTED[parameter](value, module.source(value)) if parameter in _CONVERTED else None
    if parameter in _CONVERTED and text is None:
        left_out.append(argument)
        return
    if isinstance(argument, ast.keyword):
        start = module.span(argument)[0]
        yield Edit(start, start + len(argument.arg or ""), parameter)
        if text is not None:
            yield Edit(*module.span(value), text)
    else:
        start, end = module.span(value)
        yield Edit(start, end, f"{parameter}={module.text[start:end] if text is None else text}")


def _single_process(value: ast.expr, text: str) -> str | None:
    """`nprocs` as `debug_single_process`: 1 and None were all that it could be since 2.1."""
    match value:
        case ast.Constant(value=None) | ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(number)):
            return "True" if number == 1 else None
        case ast.IfExp(test=test, body=ast.Constant(value=1), orelse=ast.Constant(value=None)):
            return ast.unparse(test)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            return f"{text} == 1"
        case _:
            return f"({text}) == 1"


_CONVERTED = {"debug_single_process": _single_process}
"""Parameters of a successor that say the same in another way; what they are given, or None for nothing."""


def _left_out(module: Module, call: ast.Call, gone: Sequence[ast.expr | ast.keyword]) -> Iterator[Edit]:
    """The edits that take arguments out of a call."""
    if not gone:
        return
    every = sorted([*call.args, *call.keywords], key=module.span)
    spans = [module.span(each) for each in every]
    closing = module.span(call)[1] - 1
    text = module.text
    for (_, end), (start, _) in zip(spans, [*spans[1:], (closing, closing)], strict=True):
        if any(character in "()" for character in _without_comments(text[end:start])):
            raise Refused("the arguments stand in parentheses of their own")
    opening = module.span(call.func)[1] + text[module.span(call.func)[1] : spans[0][0]].index("(") + 1
    if len(gone) == len(every) and "#" not in text[opening:closing]:
        yield Edit(opening, closing, "")
        return
    for first, last in dropping.runs(every, gone):
        start, end = spans[first][0], spans[last][1]
        if (
            lines := module.lines_of(start, end + len(text[end:]) - len(text[end:].lstrip(" ,")))
        ) is not None:
            yield Edit(*lines, "")
        elif last + 1 < len(every):
            yield Edit(start, spans[last + 1][0], "")
        else:
            before = spans[first - 1][1] if first else start
            yield Edit(start if "#" in text[before:start] else before, end, "")


def _without_comments(text: str) -> str:
    return "\n".join(line.partition("#")[0] for line in text.splitlines())


# Single arguments -------------------------------------------------------------------------------


def rename_keyword(module: Module, cure: RenameKeyword) -> Rewrite:
    """A keyword is passed by another name."""
    call, keyword = _keyword(module, cure.site, cure.keyword)
    if any(each.arg == cure.successor for each in call.keywords):
        raise Refused(f"`{cure.successor}` is passed, too")
    start = module.span(keyword)[0]
    return Rewrite((Edit(start, start + len(cure.keyword), cure.successor),))


def drop_argument(module: Module, cure: DropArgument) -> Rewrite:
    """A call no longer passes an argument."""
    if cure.for_xla:
        require_xla_alone(module)
    try:
        call, keyword = _keyword(module, cure.site, cure.keyword)
    except Refused:
        call, argument = _positional(module, cure.site, cure.keyword)
        return Rewrite(tuple(_left_out(module, call, [argument])))
    return Rewrite(tuple(_left_out(module, call, [keyword])))


def pass_argument(module: Module, cure: PassArgument) -> Rewrite:
    """A call passes an argument by name, in the place of what it passed or behind all others."""
    call = next(_calls(module, cure.site), None)
    if call is None:
        raise Refused("there is no such call here")
    if cure.for_one:
        _require_one_caller(module, call)
        require_trains_alone(module, call)
    if cure.for_xla:
        require_xla_alone(module)
    for keyword in call.keywords:
        if keyword.arg == cure.keyword:
            if cure.for_one:
                raise Refused(f"`{module.source(keyword)}` says it on purpose")
            return Rewrite((Edit(*module.span(keyword.value), cure.text),))
    given, closing = f"{cure.keyword}={cure.text}", module.span(call)[1] - 1
    every = sorted([*call.args, *call.keywords], key=module.span)
    if not every:
        return Rewrite((Edit(closing, closing, given),))
    if any(isinstance(each, ast.keyword) and each.arg is None for each in every):
        raise Refused("it is not seen what `**` passes")
    start, end = module.span(every[-1])
    if _without_comments(module.text[end:closing]).strip() not in ("", ","):
        raise Refused("the last argument stands in parentheses of its own")
    indent = module.indent(start)
    if indent is None:
        return Rewrite((Edit(end, end, f", {given}"),))
    rest = module.rest_of_line(end)
    if "#" not in rest:
        return Rewrite((Edit(end, end, f",{module.newline}{indent}{given}"),))
    # The comment is about the argument that it stands behind.
    has_comma, line_end = rest.lstrip().startswith(","), module.line_end(end)
    behind = Edit(line_end, line_end, f"{module.newline}{indent}{given}{',' if has_comma else ''}")
    return Rewrite((behind,) if has_comma else (Edit(end, end, ","), behind))


def _require_one_caller(module: Module, call: ast.Call) -> None:
    """What a call makes must serve one caller: a function that returns it may be called for several.

    Raises:
        Refused: it is.
    """
    function = function_around(module, call)
    if not isinstance(function, ast.FunctionDef):
        return
    made = spelled_as(module, call)
    returned = [each.value for each in walk(function) if isinstance(each, ast.Return) and each.value]
    calls = [each for each in walk(module.tree) if called(each) == function.name]
    more = 0 if module.callees is None else module.callees.calls_elsewhere(module, function.name)
    if any(ast.unparse(each) in made for each in returned) and len(calls) + more > 1:
        raise Refused(f"`{function.name}` makes it for {len(calls) + more} callers")


def autocast_on_xla(module: Module, cure: AutocastOnXla) -> Rewrite:
    """An autocast for CUDA becomes one for XLA."""
    call = module.at(cure.site)
    if not isinstance(call, ast.Call) or not isinstance(call.func, Name):
        raise Refused("the autocast is not made here")
    require_no_way_of_its_own(module, call)
    require_no_cuda(module)
    given = [*call.args[:1], *(each.value for each in call.keywords if each.arg == "device_type")]
    device = next((each for each in given if isinstance(each, ast.Constant)), None)
    if device is not None and device.value == "cuda":
        return Rewrite((Edit(*module.span(device), '"xla"'),))
    name = qualified(module, call.func)
    if name != _CUDA_AUTOCAST:
        raise Refused("it is not seen what makes this an autocast for CUDA")
    if call.args or any(each.arg is None for each in call.keywords):
        raise Refused("`torch.autocast` takes its arguments in another order")
    text, _ = spelling.spelling(module, _AUTOCAST, call.func)
    start = module.span(call.func)[1] + module.text[module.span(call.func)[1] :].index("(") + 1
    edits = (Edit(*module.span(call.func), text), Edit(start, start, '"xla", ' if call.keywords else '"xla"'))
    return Rewrite(edits, needs=(Need(_AUTOCAST, call.func),), leaves=(_CUDA_AUTOCAST,))


def write_tuple(module: Module, cure: WriteTuple) -> Rewrite:
    """A list that is written out becomes a tuple, with the comma that one of a single element needs."""
    written = module.at(cure.site)
    if not isinstance(written, ast.List):
        raise Refused("no list is written here")
    start, end = module.span(written)
    closing = ")"
    if len(written.elts) == 1:
        behind = _without_comments(module.text[module.span(written.elts[0])[1] : end - 1])
        closing = ")" if "," in behind else ",)"
    return Rewrite((Edit(start, start + 1, "("), Edit(end - 1, end, closing)))


_AUTOCAST, _CUDA_AUTOCAST = "torch.autocast", "torch.cuda.amp.autocast"


def _keyword(module: Module, site: Site, name: str) -> tuple[ast.Call, ast.keyword]:
    """The innermost call around a site that passes a keyword, and that."""
    for call in _calls(module, site):
        for keyword in call.keywords:
            if keyword.arg == name:
                return call, keyword
    raise Refused(f"`{name}` is not passed by name here")


def _positional(module: Module, site: Site, name: str) -> tuple[ast.Call, ast.expr]:
    for call in _calls(module, site):
        called = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
        index = _POSITIONS.get((called, name), len(call.args))
        if index < len(call.args):
            if index + 1 < len(call.args) or any(isinstance(each, ast.Starred) for each in call.args):
                raise Refused(f"`{name}` is passed by its position, with others behind it")
            return call, call.args[index]
    raise Refused(f"it is not seen how `{name}` is passed")


_POSITIONS = {("optimizer_step", "barrier"): 1, ("spawn", "nprocs"): 2}
"""Where a parameter stands that is dropped."""


def _calls(module: Module, site: Site) -> Iterator[ast.Call]:
    """The calls that hold a site, from the inside out."""
    node = module.at(site)
    if isinstance(node, ast.Expr):
        node = node.value
    if node is not None:
        yield from (each for each in (node, *module.around(node)) if isinstance(each, ast.Call))


REWRITERS: Mapping[type[Cure], Rewriter[Any]] = {
    Rename: rename,
    RenameKeyword: rename_keyword,
    DropArgument: drop_argument,
    PassArgument: pass_argument,
    AutocastOnXla: autocast_on_xla,
    WriteTuple: write_tuple,
}
