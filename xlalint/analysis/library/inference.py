"""Models in PyTorch's inference mode."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import Module
from xlalint.knowledge.classes import VIEWING
from xlalint.lazy.values import Place, Value
from xlalint.program.inference import INFERENCE_MODE, calls_what_was_there
from xlalint.program.outline import Class, within

_NAMES: Final = frozenset({INFERENCE_MODE})


def refuse_inference(machine: Machine, module: Value, info: Module, call: Call) -> None:
    """In inference mode no layer runs that views what was made before, as a linear one does its weights."""
    node, state = call.node, call.store.state
    if info.place is not Place.XLA or state.scopes.in_forward or not isinstance(node, ast.Call):
        return
    if not machine.mentions(call.frame.outline, _NAMES):
        return
    if not calls_what_was_there(node, call.frame.around):
        return
    if info.of and all(_has_views(machine, cls) for cls in info.of):
        call.frame.model.refuse_inference(state, call.spelling, call.site, assumes=module.assumes)


def _has_views(machine: Machine, cls: Class) -> bool:
    """Whether a class of the project, or one that it derives from, names layers that view something."""
    for base in machine.classes.bases(cls):
        machine.rest_on("class", *base.key)
        named = (getattr(node, "attr", getattr(node, "id", "")) for node in within(base.node))
        if not VIEWING.isdisjoint(named):
            return True
    return False
