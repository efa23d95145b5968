"""Whether a file brings XLA or uses a framework, seen from its bytes: from its code, not from its prose."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from xlalint.configuration import Framework
from xlalint.sources.imports import brought

HOT_TOKEN: Final = "torch_xla"
"""A file that does not name this package, or another that the settings name, is not hot but by a device."""

FORMER: Final = "torch_xla_py"
"""What torch_xla was called before its first release."""

LIBRARIES: Final = (HOT_TOKEN, FORMER)
_VARIABLES: Final = frozenset({b"XLA_USE_BF16", b"XLA_DOWNCAST_BF16", b"XRT_TPU_CONFIG", b"XRT_WORKERS"})
"""Environment variables that nothing but torch_xla reads: whoever sets one starts a program with it."""
_DEVICE_VARIABLE: Final = b"PJRT_DEVICE"
_IS_GIVEN: Final = re.compile(rb"\s*(?:\]\s*=|,)\s*[\"'](?:TPU|NEURON|CPU|CUDA|GPU)[\"']")
"""It is given a device: others may ask for it, too."""
_DEVICE_TOKENS: Final = (b'"xla"', b"'xla'", b'"xla:', b"'xla:")
_DEVICE: Final = re.compile(rb"xla(?::(?:\d+|\{[^{}]*\}))?")
_IMPORT_BY_NAME: Final = re.compile(rb"\b(?:import_module|__import__)\s*\(\s*(?:name\s*=\s*)?$")
_LONGEST_IMPORT_BY_NAME: Final = 80
_TOKEN: Final = r"""
    \#[^\r\n]*
  | \"\"\"[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*\"\"\" | \'\'\'[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*\'\'\'
  | "[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*" | '[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*'
"""
"""Comments and texts. Each alternative begins with a fixed byte, so that nothing is tried at all others."""


def names_xla(data: bytes) -> bool:
    """Whether it stands anywhere in a file, be it in a longer word: all that is looked for here holds it, but
    for what settings and frameworks name. Most files are seen through by that."""
    return b"xla" in data or b"XLA" in data or b"XRT_" in data or _DEVICE_VARIABLE in data


def brings_xla(data: bytes, packages: tuple[str, ...] = (), *, by_variables: bool = True) -> bool:
    """Whether a file with these bytes brings XLA.

    It imports torch_xla, or one of `packages`, be it by `import_module` of a literal; or a device is given
    as the text "xla" or "xla:0"; or `by_variables`, where one that only torch_xla reads is named, or the one
    that says its device is set. What stands in comments, docstrings and other texts does not count.
    """
    names = (*LIBRARIES, *packages)
    variables = _VARIABLES if by_variables else frozenset()
    if not (
        any(variable in data for variable in variables)
        or (by_variables and _DEVICE_VARIABLE in data)
        or any(token in data for token in _DEVICE_TOKENS)
        or any(name.encode() in data for name in names)
    ):
        return False
    alone = False
    for start, text in _names_and_texts(data, names):
        if text[:1] not in _QUOTES:
            return True
        quotes = 3 if text[:3] in (b'"""', b"'''") else 1
        content = text[quotes:-quotes]
        if content in variables:
            return True
        if by_variables and content == _DEVICE_VARIABLE and _IS_GIVEN.match(data, start + len(text)):
            return True
        if content.startswith(b"xla") and _is_device(content, data, start):
            if not _is_alone(data, start, start + len(text)):
                return True
            alone = True
        elif content.partition(b".")[0].decode("utf-8", "replace") in names:
            before = data[max(start - _LONGEST_IMPORT_BY_NAME, 0) : start]
            if _IMPORT_BY_NAME.search(before):
                return True
    return alone and _has_device_value(data)


def may_import_xla(data: bytes) -> bool:
    """Whether the code in these bytes names torch_xla, or a text of it begins so, as for `import_module`."""
    names = tuple(name.encode() for name in LIBRARIES)
    return any(
        text[:1] not in _QUOTES or text.strip(b"\"'").startswith(names)
        for _, text in _names_and_texts(data, LIBRARIES)
    )


def is_device(text: str) -> bool:
    """Whether a text names a device of XLA: `xla`, `xla:0`."""
    return _DEVICE.fullmatch(text.encode("utf-8", "replace")) is not None


def _names_and_texts(data: bytes, names: tuple[str, ...]) -> Iterator[tuple[int, bytes]]:
    """Where some names stand that begin no attribute, and all texts, in their order."""
    for found in _tokens(names).finditer(data):
        token, at = found[0], found.start()
        is_part = token[:1] not in _QUOTES and _IN_NAME.search(data, max(at - 1, 0), at)
        if not (token.startswith(b"#") or is_part):
            yield at, token


_QUOTES: Final = (b'"', b"'")


@cache
def _tokens(names: tuple[str, ...]) -> re.Pattern[bytes]:
    named = "".join(rf" | {re.escape(name)}\b" for name in names)
    return re.compile((_TOKEN + named).encode(), re.VERBOSE | re.DOTALL)


def _is_device(content: bytes, data: bytes, start: int) -> bool:
    if not _DEVICE.fullmatch(content):
        return False
    prefix = re.search(rb"\b[A-Za-z]{1,2}$", data[max(start - 3, 0) : start])
    letters = prefix[0].lower() if prefix is not None else b""
    return b"b" not in letters and (b"{" not in content or b"f" in letters)


def _is_alone(data: bytes, start: int, end: int) -> bool:
    """Whether a text stands on lines of its own, as docstrings do; the last of several arguments may, too."""
    before = data[data.rfind(b"\n", 0, start) + 1 : start]
    after = re.compile(rb"[^\r\n]*").match(data, end)
    return not before.strip() and (after is None or not after[0].strip())


def _has_device_value(data: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and is_device(node.value)
        and id(node) not in prose
        for node in ast.walk(tree)
    )


# What a project makes of XLA ---------------------------------------------------------------------

TRAINS: Final = "trains"
OFFERS: Final = "offers "
HOLDS: Final = "holds "
PASSES: Final = "passes "

_BACKWARD: Final = re.compile(rb"\.backward[ \t]*\(")
_DEFINITION: Final = re.compile(
    rb"\n(?:(?:async[ \t]+)?(def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?=(?!=))"
)
_STATEMENT: Final = re.compile(rb"\n[^\s#)\]}]")
_MARKER: Final = re.compile(rb"\.mark_step[ \t]*\(|\btorch_xla\.sync[ \t]*\(")


def shared(data: bytes, helpers: frozenset[str], makers: tuple[str, ...], *, hot: bool) -> tuple[str, ...]:
    """What tells whether a file runs on XLA by the help of another of its project, or is such help.

    It `trains` where it computes gradients. One that brings XLA offers, such as `offers get_device`, the
    functions of its that call one of `helpers`, `torch_xla.device`, `torch.device("xla")` or one of `makers`,
    the names that it gives what one of these returns or the text "xla", and the classes that train so; it
    holds a device, such as `holds Runtime`, by other classes that call one or such a function, and by tables,
    objects and functions that name such a class; and passes on, such as `passes xm`, what it imports of it.

    Args:
        makers: The classes of frameworks that it makes objects of which compute gradients, as an
            `Accelerator` does.
        hot: Whether it brings XLA by itself.
    """
    found = [TRAINS] if b".backward" in data and _BACKWARD.search(data) else []
    if hot:
        found += [PASSES + name for name in brought(data, HOT_TOKEN)]
    elif not makers:
        return tuple(found)
    return (*found, *_offered(b"\n" + data, helpers if hot else frozenset(), makers))


def _offered(data: bytes, helpers: frozenset[str], makers: tuple[str, ...]) -> Iterator[str]:
    marks = bool(helpers) and _MARKER.search(data) is not None
    offers = bool(makers) or _holds_any(data, _offering(helpers))
    if not (marks or offers):
        return  # as most files: they are not cut into their definitions
    others: list[tuple[bytes, bytes]] = []
    classes: list[tuple[bytes, bytes]] = []
    offered: list[bytes] = []
    holding: list[bytes] = []
    calling = _calling(helpers, makers)
    for definition in _DEFINITION.finditer(data):
        body = _body(data, definition)
        sort, name = definition[1], definition[2] or definition[3]
        if marks and sort == b"def" and _MARKER.search(body):
            yield PASSES + name.decode("utf-8", "replace")
        if not (offers and calling.search(body)):
            (classes if sort == b"class" else others).append((name, body))
        elif sort != b"class":
            offered.append(name)
        elif _BACKWARD.search(body):
            yield OFFERS + name.decode("utf-8", "replace")
        else:
            holding.append(name)
    if offered:
        naming = re.compile(rb"(?<![\w.])(?:%s)[ \t]*\(" % b"|".join(offered))
        holding += [name for name, body in classes if naming.search(body)]
    _add_naming(holding, others)
    yield from (OFFERS + name.decode("utf-8", "replace") for name in offered)
    yield from (HOLDS + name.decode("utf-8", "replace") for name in holding)


def _add_naming(found: list[bytes], definitions: list[tuple[bytes, bytes]]) -> None:
    """Add the definitions that name one which is found."""
    known = 0
    while known < len(found):
        naming = re.compile(rb"\b(?:%s)\b" % b"|".join(found[known:]))
        known = len(found)
        found += [name for name, body in definitions if name not in found and naming.search(body)]


def leading(data: bytes, taken: Iterable[str]) -> set[str]:
    """The functions, classes and objects by which a file that trains on XLA leads others there: they compute
    gradients, or name what it takes of others for that, or one of them."""
    data = b"\n" + data
    definitions = [
        (definition[2] or definition[3], _body(data, definition)) for definition in _DEFINITION.finditer(data)
    ]
    found = [name.encode() for name in sorted(taken)]
    own = len(found)
    found += [name for name, body in definitions if name not in found and _BACKWARD.search(body)]
    _add_naming(found, definitions)
    return {name.decode("utf-8", "replace") for name in found[own:]}


def _body(data: bytes, definition: re.Match[bytes]) -> bytes:
    """What stands in a definition, below its name."""
    end = _STATEMENT.search(data, definition.end())
    return data[definition.end() : end.start() if end is not None else len(data)]


@cache
def _offering(names: frozenset[str]) -> tuple[str, ...]:
    """What stands in all that `_calling` finds. Fixed bytes are found several times faster than a pattern."""
    return (*(f".{name}" for name in names), "torch_xla.device", '"xla', "'xla")


@cache
def _calling(names: frozenset[str], makers: tuple[str, ...]) -> re.Pattern[bytes]:
    found = [rf"\b(?:{'|'.join(makers)})[ \t]*\("] if makers else []
    if names:
        found += [
            rf"\.(?:{'|'.join(sorted(names))})[ \t]*\(",
            r"\btorch_xla\.device[ \t]*\(",
            r"(?:\A[ \t]*|\bdevice\()[\"']xla\b",
        ]
    return re.compile("|".join(found).encode())


# Frameworks -------------------------------------------------------------------------------------

HANDS: Final = "hands "
DERIVES: Final = "derives "
ELSEWHERE: Final = "elsewhere "


def touched(
    path: str, data: bytes, imports: Iterable[str], frameworks: Iterable[Framework]
) -> tuple[str, ...]:
    """What a file has to do with frameworks, such as `hands accelerate` and `derives fairseq`.

    It hands something to one where it makes an object of one of its classes, and derives from one where a
    class has one of its classes as base. Both rather too often than too rarely. It trains elsewhere where all
    that it makes names another device: `Trainer(accelerator="gpu")`.

    Args:
        imports: What it may import; see `imported`.
    """
    found: list[str] = []
    packages = {name.partition(".")[0] for name in imports}
    for framework in frameworks:
        # Most files import nothing of a framework, and all are asked.
        within = any(f"{os.sep}{package}{os.sep}" in path for package in framework.packages)
        if (within or not packages.isdisjoint(framework.packages)) and _holds_any(data, framework.classes):
            found += _touched_by(data, imports, framework, within=within)
    return tuple(found)


def is_for_another_device(
    path: str, data: bytes, imports: Iterable[str], frameworks: Iterable[Framework], packages: tuple[str, ...]
) -> bool:
    """Whether a file that names a variable of torch_xla trains elsewhere, so that it does not bring XLA."""
    return (
        any(variable in data for variable in (*_VARIABLES, _DEVICE_VARIABLE))
        and any(how.startswith(ELSEWHERE) for how in touched(path, data, imports, frameworks))
        and not brings_xla(data, packages, by_variables=False)
    )


def is_told_no_device(
    path: str, data: bytes, imports: Iterable[str], frameworks: Iterable[Framework], packages: tuple[str, ...]
) -> bool:
    """Whether a file leaves it to a framework which device it trains on, where it could tell.

    It is of XLA by nothing but the variables that it names.
    """
    free = [
        framework
        for framework in frameworks
        if framework.elsewhere
        and not any(_given(data, argument) for argument, _ in (*framework.on_xla, *framework.elsewhere))
    ]
    return any(how.startswith(HANDS) for how in touched(path, data, imports, free)) and not brings_xla(
        data, packages, by_variables=False
    )


def asks_for_xla(data: bytes, imports: Iterable[str], frameworks: Iterable[Framework]) -> bool:
    """Whether a file tells a framework to use XLA, also by settings: `TrainingArguments(tpu_num_cores=8)`.

    So does an option of the command line that stands for XLA unless somebody says otherwise.

    Args:
        imports: What it may import; see `imported`.
    """
    packages = {name.partition(".")[0] for name in imports}
    return any(
        argument.encode() in data
        and any(_is_among(_by_default(value, data), values) for value in _given(data, argument))
        and _holds_any(data, framework.classes)
        for framework in frameworks
        if not packages.isdisjoint(framework.packages)  # few files import a framework, and all are asked
        for argument, values in framework.on_xla
    )


def _is_among(value: bytes, values: tuple[str, ...]) -> bool:
    """Whether a value as it is written is one of some, or any number of devices where none are listed."""
    text = value.strip(b"\"'").decode("utf-8", "replace")
    return text in values if values else text.lstrip("[").isdigit() and text != "0"


def _by_default(value: bytes, data: bytes) -> bytes:
    """What an option such as `args.devices` is by default; else the value, as it is written."""
    option = re.fullmatch(rb"\w+\.(\w+)", value)
    if option is None or _OPTION not in data:
        return value
    default = re.search(_DEFAULT % option[1].replace(b"_", b"[-_]"), data)
    return value if default is None else default[1]


_OPTION: Final = b"add_argument("
_DEFAULT: Final = rb"add_argument\(\s*[^)#]*[\"']--%s[\"'][^)]*\bdefault\s*=\s*([^\s,)]+)"


def _counts_gpus(value: bytes, data: bytes) -> bool:
    """Whether a value as it is written is the number of GPUs, or a name that a file gives it to."""
    if value.startswith(_NUMBER_OF_GPUS):
        return True
    is_name = re.fullmatch(rb"[A-Za-z_]\w*", value) is not None
    return is_name and re.search(_IS_NUMBER_OF_GPUS % value, data) is not None


_NUMBER_OF_GPUS: Final = b"torch.cuda.device_count("
_IS_NUMBER_OF_GPUS: Final = rb"(?m)^[ \t]*%s[ \t]*=[ \t]*torch\.cuda\.device_count\("


@cache
def _given_as(argument: str) -> re.Pattern[bytes]:
    return re.compile(rb"\b%s\s*=\s*([^\s,)]+)" % argument.encode())


def _holds_any(data: bytes, names: tuple[str, ...]) -> bool:
    return any(name in data for name in _encoded(names))


@cache
def _encoded(names: tuple[str, ...]) -> tuple[bytes, ...]:
    """What to look for to find any of some names: none that holds another of them."""
    return tuple(
        name.encode() for name in names if not any(other in name for other in names if other != name)
    )


def _touched_by(data: bytes, imports: Iterable[str], framework: Framework, *, within: bool) -> Iterator[str]:
    if not _is_any_called(data, framework.classes) and not _deriving(framework.classes).search(data):
        return
    named = (name for name in imports if name.partition(".")[0] in framework.packages)
    last, aliases = {name.rpartition(".")[2] for name in named}, _aliases(data, framework)
    if any(star[1].decode() in framework.packages for star in _STAR.finditer(data)):
        last.add("*")
    plain = _among(framework.classes, last)
    made = any(name[0] in (aliases if name[1:] else plain) for name in _called(data, framework.classes))
    if made or _makes_its_own(data, aliases, plain.intersection(framework.trainers)):
        yield (ELSEWHERE if _names_another_device(data, framework) else HANDS) + framework.name
    # Most of what stands in its own tree is for others to derive from.
    plain = {*framework.called} if within else _among(framework.hooked, last)
    if any(
        name[0] in plain or (name[0] in aliases and any(part in framework.hooked for part in name[1:]))
        for name in _bases(data)
    ):
        yield DERIVES + framework.name


def _makes_its_own(data: bytes, aliases: set[str], trainers: set[str]) -> bool:
    """Whether it makes an object of a class of its own that derives from one of some that train."""
    if not trainers:
        return False
    own = (
        header[1].decode()
        for header in _HEADER.finditer(data)
        for name in _DOTTED.findall(header[2])
        if (parts := name.decode().split("."))[-1] in trainers and (parts[1:] == [] or parts[0] in aliases)
    )
    return any(name == [each] for each in own for name in _called(data, (each,)))


_STAR: Final = re.compile(rb"(?m)^[ \t]*from[ \t]+(\w+)[\w.]*[ \t]+import[ \t]*\*")


def _among(classes: tuple[str, ...], named: set[str]) -> set[str]:
    """Those of the classes of a framework that a file knows by their names, where it imports `named`."""
    return {*classes} if "*" in named else named.intersection(classes)


def _names_another_device(data: bytes, framework: Framework) -> bool:
    """Whether all that a file makes is told to use another device: none of XLA, whatever else it is given."""
    for argument, values in framework.on_xla:
        given = _given(data, argument)
        if any(_is_among(value, values) if values else value not in _NO_NUMBER for value in given):
            return False
    return any(
        (given := _given(data, argument))
        and all(_is_among(value, others) or (not others and _counts_gpus(value, data)) for value in given)
        for argument, others in framework.elsewhere
    )


_NO_NUMBER: Final = (b"None", b"0")


def _given(data: bytes, argument: str) -> list[bytes]:
    """What is given as an argument, as it is written there, but in comments."""
    return [
        match[1]
        for match in _given_as(argument).finditer(data)
        if b"#" not in data[data.rfind(b"\n", 0, match.start()) + 1 : match.start()]
    ]


def _is_any_called(data: bytes, names: tuple[str, ...]) -> bool:
    """Whether one of some names may be called. Fixed bytes are found several times faster than a pattern."""
    for name in _encoded(names):
        at = data.find(name)
        while at >= 0:
            if _CALL.match(data, at + len(name)):
                return True
            at = data.find(name, at + 1)
    return False


_CALL: Final = re.compile(rb"\w*\s*\(")


@cache
def _deriving(classes: tuple[str, ...]) -> re.Pattern[bytes]:
    # It begins with fixed bytes, for speed, and may find too much.
    return re.compile(rf"class\s+\w+\s*\([^)]*(?:{'|'.join(classes)})\b".encode())


def _called(data: bytes, names: tuple[str, ...]) -> Iterator[list[str]]:
    """What is called and ends with one of some names, in its parts: `["pl", "Trainer"]`."""
    for name in names:
        word = name.encode()
        at = data.find(word)
        while at >= 0:
            end = at + len(word)
            if _OPENING.match(data, end):
                before = _DOTTED_BEFORE.search(data, data.rfind(b"\n", 0, at) + 1, at)
                if before is not None and not data.endswith((b"class ", b"def "), 0, before.start()):
                    yield [*before[0].decode().split(".")[:-1], name]
            at = data.find(word, at + 1)


_IN_NAME: Final = re.compile(rb"[\w.]$")
_OPENING: Final = re.compile(rb"\s*\(")
_DOTTED_BEFORE: Final = re.compile(rb"(?<![\w.])(?:\w+\.)*$")


def _bases(data: bytes) -> Iterator[list[str]]:
    """What stands in the headers of classes, each dotted name in its parts."""
    for header in _HEADER.finditer(data):
        yield from (name.decode().split(".") for name in _DOTTED.findall(header[2]))


_HEADER: Final = re.compile(rb"class(?<!\wclass)\s+(\w+)\s*\(([^)]*)")
_DOTTED: Final = re.compile(rb"(?<![\w.])\w+(?:\.\w+)*")


def _aliases(data: bytes, framework: Framework) -> set[str]:
    """What a file calls the modules of a framework."""
    packages = "|".join(framework.packages).encode()
    found = re.findall(_MODULE_IMPORT % packages, data)
    aliases = {(alias or package).decode() for package, alias in found}
    return aliases | {alias.decode() for alias in re.findall(_PART_IMPORT % packages, data)}


# These begin with fixed bytes, for speed.
_MODULE_IMPORT: Final = rb"import(?<!\wimport)[ \t]+(%s)(?:\.[\w.]+)?(?:[ \t]+as[ \t]+(\w+))?"
_PART_IMPORT: Final = (
    rb"from(?<!\wfrom)[ \t]+(?:%s)(?:\.[\w.]+)?[ \t]+import[ \t]+\(?(?:\w+[ \t]+as[ \t]+)?([a-z]\w*)"
)
