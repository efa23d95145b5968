"""Options of the command line that programs hand on."""

from __future__ import annotations

import ast

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Machine


def default_given(machine: Machine, call: Call, parameter: str, position: int) -> object:
    """What an option is by default that a call is given as one of its arguments; None: it is given no option
    of the module, or one without such a number or text."""
    match call.written(parameter, position):
        case (
            ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name)))
        ):
            return machine.default_of_option(call.frame.outline, name)
    return None
