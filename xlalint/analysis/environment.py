"""Which environment variables of torch_xla a file sets or asks for, also for programs that it starts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from xlalint.configuration import Framework
from xlalint.knowledge import environment, outside
from xlalint.lazy.assumptions import CHOSEN_BY_FRAMEWORK, NONE, SET_IN_TIME, assume, both
from xlalint.lazy.events import VariableUsed
from xlalint.lazy.site import site_of
from xlalint.program.outline import last_name, parts_of, within
from xlalint.sources.imports import imported
from xlalint.sources.usage import HOT_TOKEN, is_told_no_device
from xlalint.spelling import spelling
from xlalint.writing import written


def variables_used(
    tree: ast.Module, text: str, path: str, module: str, frameworks: tuple[Framework, ...]
) -> Iterator[VariableUsed]:
    """The uses of torch_xla's former environment variables, in the order of the text.

    What a framework may leave without effect, as it chooses the device, rests on that. What torch_xla sets
    itself it also reads, in the release that it is.

    Args:
        tree: The file.
        text: Its text: most files name none of them.
        path: What the sites of the events name as their file.
        module: How it is imported.
        frameworks: Those that it may use.
    """
    if _ANY.search(text) is None:
        return
    data = text.encode("utf-8", "replace")
    is_left_to_others = is_told_no_device(path, data, imported(data), frameworks, ())
    found: list[VariableUsed] = []
    for node, (tests, on_host, is_later) in _with_surroundings(tree):
        for where, name, sets in _of(node):
            variable = environment.of(name)
            if variable is not None and variable.is_read and on_host:
                continue
            # What is set where somebody asks for it is not left on.
            if variable is not None and variable.is_read and module.partition(".")[0] == HOT_TOKEN:
                continue
            if variable is None or not variable.debugs or not tests:
                asked = next((test for test in tests if name in written(test)), None) if sets else None
                assumes = assume(f"`{spelling(asked)}`") if asked is not None else NONE
                if sets and variable is not None and variable.is_read:
                    if is_left_to_others:
                        assumes = both(assumes, CHOSEN_BY_FRAMEWORK)
                    if is_later and variable.is_read_once and _is_of_process(node):
                        assumes = both(assumes, SET_IN_TIME)
                found.append(VariableUsed(site_of(path, where), assumes, name=name, sets=sets))
    yield from sorted(found, key=lambda event: event.site)


class _Surroundings(NamedTuple):
    """What a node stands in.

    Args:
        tests: Those that it runs under, other than whether the file is run as a script.
        on_host: Whether one of the arms around it chooses the CPU.
        is_later: Whether it stands in a function, which may be called later.
    """

    tests: tuple[ast.expr, ...] = ()
    on_host: bool = False
    is_later: bool = False


def _with_surroundings(tree: ast.Module) -> Iterator[tuple[ast.AST, _Surroundings]]:
    left: list[tuple[ast.AST, _Surroundings]] = [(tree, _Surroundings())]
    while left:
        node, around = left.pop()
        yield node, around
        match node:
            case ast.If(test=test, body=body, orelse=orelse) if not _asks_for_script(test):
                left.append((test, around))
                for arm in (body, orelse):
                    on_host = around.on_host or _chooses_the_host(arm)
                    inside = around._replace(tests=(*around.tests, test), on_host=on_host)
                    left += ((statement, inside) for statement in arm)
            case _:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                    around = around._replace(is_later=True)
                left += ((child, around) for child in parts_of(node))


def _chooses_the_host(arm: list[ast.stmt]) -> bool:
    """Whether an arm says that the program runs on the CPU, `self.device = torch.device("cpu")`, and chooses
    no device besides."""
    chosen = [
        each
        for statement in arm
        for each in within(statement)
        if isinstance(each, ast.Assign)
        and (last_name(each.targets[0]).endswith(outside.DEVICE) or _makes_device(each.value))
    ]
    match chosen:
        case [
            ast.Assign(
                value=ast.Constant(value="cpu") | ast.Call(args=[ast.Constant(value="cpu")], keywords=[])
            )
        ]:
            return chosen[0] in arm
    return False


def _makes_device(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func).endswith(outside.DEVICE)


def _asks_for_script(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _is_of_process(node: ast.AST) -> bool:
    """Whether a node is about the environment of the program itself, and not of one that it starts."""
    match node:
        case ast.Assign():
            return True
        case ast.Call(func=ast.Attribute(value=held, attr=method)):
            return _is_environment(held) or method in _SETTERS
    return False


_Use = tuple[ast.expr | ast.keyword, str, bool]


def _of(node: ast.AST) -> Iterator[_Use]:
    """The variables that one node names, where, and whether it sets them."""
    match node:
        case ast.Assign(targets=targets, value=given):
            for target in targets:
                match target:
                    case ast.Subscript(value=held, slice=ast.Constant(value=str(name))) if _is_environment(
                        held
                    ):
                        yield from _set(target.slice, name, given)
        case ast.Subscript(value=held, slice=ast.Constant(value=str(name)), ctx=ast.Load()) if (
            _is_environment(held)
        ):
            yield from _known(node.slice, name, sets=False)
        case ast.Call(
            func=ast.Attribute(value=held, attr=method), args=[ast.Constant(value=str(name)), *others]
        ) if _is_environment(held) or method in ("getenv", "putenv"):
            if method in _SETTERS:
                yield from _set(node.args[0], name, *others[:1])
            elif method in _GETTERS:
                yield from _known(node.args[0], name, sets=False)
        case ast.Call(func=ast.Attribute(value=held, attr="update")) if _is_environment(held):
            for keyword in node.keywords:
                yield from _set(keyword, keyword.arg or "", keyword.value)
            for given in node.args:
                yield from _of_dict(given)
        case ast.Call():
            for keyword in node.keywords:
                if keyword.arg == "env":
                    yield from _of_dict(keyword.value)
            yield from _of_commands(node)


def _of_dict(node: ast.expr) -> Iterator[_Use]:
    if isinstance(node, ast.Dict):
        for key, given in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield from _set(key, key.value, given)


def _of_commands(call: ast.Call) -> Iterator[_Use]:
    """What a command line sets that is handed to a shell: `os.system("XRT_WORKERS=... python train.py")`.

    The shell ends, and its variables with it: `os.system("export XLA_USE_BF16=1")` sets nothing for anybody.
    """
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called not in _SHELLS:
        return
    for given in call.args:
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            for match in _ASSIGNED.finditer(given.value):
                if not _ASSIGNED.sub("", given.value[match.end() :]).strip(" ;&|\n"):
                    return
                yield from _set(given, match[1], ast.Constant(match[2].strip("\"'")))


def _set(node: ast.expr | ast.keyword, name: str, given: ast.expr | None = None) -> Iterator[_Use]:
    """A variable that gets a value; what turns a switch off asks for nothing that is gone.

    A number sets nothing, as the environment holds texts: that raises.
    """
    variable = environment.of(name)
    if isinstance(given, ast.Constant) and not isinstance(given.value, str):
        return
    if isinstance(given, ast.Call) and getattr(given.func, "id", "") == "str" and given.args:
        given = given.args[0]
    off = isinstance(given, ast.Constant) and str(given.value).lower() in environment.OFF
    if variable is not None and not (variable.switch and off):
        yield node, name, True


def _known(node: ast.expr | ast.keyword, name: str, *, sets: bool) -> Iterator[_Use]:
    if environment.of(name) is not None:
        yield node, name, sets


def _is_environment(node: ast.expr) -> bool:
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) == "environ"


_GETTERS: Final = frozenset({"get", "getenv"})
_SETTERS: Final = frozenset({"setdefault", "putenv"})
_SHELLS: Final = frozenset({"system", "popen", "run", "call", "check_call", "check_output", "Popen"})
_ASSIGNED: Final = re.compile(r"""(?:^|[\s;&|])(?:export\s+)?([A-Z][A-Z0-9_]+)=("[^"]*"|'[^']*'|[^\s;&|]*)""")
_ANY: Final = re.compile(environment.PATTERN)
