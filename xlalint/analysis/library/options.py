"""Options of the command line that programs hand on."""

from __future__ import annotations

import ast
from collections.abc import Container

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import DEVICE_XLA, Fields, Options, Switch, container, container_of
from xlalint.knowledge import outside
from xlalint.lazy.assumptions import OFF_BY_DEFAULT
from xlalint.lazy.values import HOST, UNKNOWN, XLA, Kind, Value
from xlalint.program.outline import Outline


def default_given(machine: Machine, call: Call, parameter: str, position: int) -> object:
    """What an option is by default that a call is given as one of its arguments, or a setting that the body
    of the module makes in a mapping; None: it is given neither, or one without such a number or text."""
    name, outline = option_given(call, parameter, position), call.frame.outline
    default = machine.default_of_option(outline, name) if name else None
    match call.written(parameter, position):
        case ast.Subscript(ast.Name(id=mapping), ast.Constant(value=str(key))) if default is None:
            return machine.set_in_body(outline, mapping, key)
    return default


def option_given(call: Call, parameter: str, position: int) -> str:
    """The name of what may be an option that a call is given as one of its arguments; else nothing."""
    match call.written(parameter, position):
        case (
            ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name)))
        ):
            return name
    return ""


def parsed(outline: Outline, methods: Container[str], *, followed: bool = False) -> Value | None:
    """What one of the methods of a parser that this module makes returns, if it takes options."""
    options = Value(Kind.HOST, payload=Options(outline, followed))
    if outside.PARSES_ALL in methods:
        return options
    return container([options, HOST]) if outside.PARSES_KNOWN in methods else None


def parsed_into_fields(outline: Outline, method: str) -> Value | None:
    """What a method of a parser returns, if it fills objects of classes of which each field is an option."""
    if method not in outside.PARSES_FIELDS:
        return None
    return container_of(Value(Kind.HOST, payload=Options(outline, followed=False, fields=True)))


def option_in(machine: Machine, holder: Value, name: str, outline: Outline) -> Value | None:
    """An option of the command line that a module takes of what holds them; None where nothing does."""
    match holder.payload:
        case Options() as options:
            return _option(machine, options, name, outline)
        case Fields(options=Options() as options) as fields if fields.under(name) is None:
            return _option(machine, options, name, outline)
    return None


def _option(machine: Machine, options: Options, name: str, outline: Outline) -> Value:
    """An option that chooses XLA is on in a program that is checked for it."""
    default = _default(machine, options, name)
    if isinstance(default, str) and default.partition(":")[0] == XLA:
        return DEVICE_XLA
    if outside.chooses_xla(name) or default is not False:
        return HOST if options.followed else machine.names.flag(name, outline) or UNKNOWN
    return Value(Kind.HOST, payload=Switch(f"`--{name.replace('_', '-')}`{OFF_BY_DEFAULT}"))


def number_by_default(machine: Machine, holder: Value, name: str) -> float | None:
    """The number that an option is by default; None where it is none, or it tells on what a program runs."""
    held = holder.payload
    if isinstance(held, Fields) and held.under(name) is None:
        held = held.options
    if not isinstance(held, Options) or outside.tells_of_hardware(name):
        return None
    default = _default(machine, held, name)
    return default if isinstance(default, int | float) and not isinstance(default, bool) else None


def number_in(machine: Machine, node: ast.expr, outline: Outline) -> float | None:
    """The number that what is written in a module is by default, if an option has that name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            default = _default(machine, Options(outline, followed=False), name)
            return default if isinstance(default, int | float) and not isinstance(default, bool) else None
    return None


def _default(machine: Machine, options: Options, name: str) -> object:
    """What an option is by default that a module adds, or else one of those that it imports."""
    outline = options.outline
    asked = machine.default_of_field if options.fields else machine.default_of_option
    own = asked(outline, name)
    if own is not None:
        return own
    machine.rest_on("imports", outline.file)
    for module in dict.fromkeys(taken.module for taken in outline.taken() if taken.name):
        helper = machine.names.find_module(module, outline)
        added = asked(helper, name) if helper is not None else None
        if added is not None:
            return added
    return None
