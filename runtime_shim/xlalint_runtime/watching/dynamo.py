"""What `torch.compile` made, when it runs on the device."""

from __future__ import annotations

import functools
import sys
from types import FrameType
from typing import Any

import torch
import torch._dynamo.eval_frame as eval_frame
import torch_xla

from xlalint_runtime.sites import Chain, chain_of, frames_below_user
from xlalint_runtime.watch import Hook, Watch

_FORWARD = torch.autograd.Function.apply.__func__.__code__
"""Gradients may be computed of what runs below this function."""
_BACKWARD = torch.autograd.function.BackwardCFunction.apply.__code__
"""Gradients are computed below this one, in a thread of the engine's own."""


def _runs(watch: Watch, original: Any) -> Any:
    """A graph that Dynamo has cached is launched: a part of what the program calls."""

    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        below = {frame.f_code for frame in frames_below_user()}
        if _BACKWARD in below:
            watch.backwards_of_dynamo += 1
        elif _FORWARD in below and (chain := _calling()):
            watch.at(chain)
            watch.replica.compiled = chain
        return original(*args, **kwargs)

    return run


def _calling() -> Chain:
    """The user's frames, down to the one that calls what is compiled: below it the code is Dynamo's."""
    calling: FrameType | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == eval_frame.__file__:
            calling = frame.f_back
        frame = frame.f_back
    return chain_of(calling)


HOOKS = (Hook(torch_xla._XLAC, "_run_cached_graph", _runs),)
