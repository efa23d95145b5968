"""Run in a process of its own: which names exist, and how many graphs calling things launches.

Reads `{"names": [...], "host_methods": [...], ...}` from standard input, writes JSON to standard output.
"""

from __future__ import annotations

import ast
import builtins
import copy
import importlib
import inspect
import io
import json
import math
import operator
import sys
import textwrap
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import torch
import torch_xla
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.nn import functional
from torch.nn.parallel import DataParallel, DistributedDataParallel
from torch_xla.distributed.fsdp import XlaFullyShardedDataParallel
from torch_xla.distributed.parallel_loader import MpDeviceLoader, ParallelLoader
from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel

from build_members import members
from build_signatures import signatures


def missing(name: str) -> str:
    """Why a dotted name cannot be had; empty when it can."""
    parts = name.split(".")
    found: Any = builtins if parts[0] == "builtins" else importlib.import_module(parts[0])
    for index, part in enumerate(parts[1:], 1):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join(parts[: index + 1]))
            except ImportError as error:
                return str(error)
        found = getattr(found, part, None)
    return "" if found is not None else "no such name"


def launches() -> int:
    """How many graphs this process has launched."""
    counters = ("CachedCompile", "UncachedCompile")
    return sum(torch_xla._XLAC._xla_counter_value(counter) or 0 for counter in counters)


def launched_by(use: Callable[[torch.Tensor], object]) -> int:
    """How many graphs `use` launches, given a matrix on which work is recorded."""
    matrix = torch.ones(4, 4, device=torch_xla.device()) * 2
    torch_xla.sync()
    matrix = matrix @ matrix
    before = launches()
    with suppress(RuntimeError, TypeError, NotImplementedError):  # what raises should launch nothing either
        use(matrix)
    return launches() - before


def _call(name: str, tensor: torch.Tensor) -> object:
    return getattr(tensor, name)(*ARGUMENTS.get(name, ()))


ARGUMENTS: dict[str, tuple[Any, ...]] = {"register_hook": (print,)}
READS: dict[str, Callable[[torch.Tensor], object]] = {
    "item": lambda t: t.sum().item(),
    "tolist": lambda t: t.tolist(),
    "cpu": lambda t: t.cpu(),
    "numpy": lambda t: t.numpy(force=True),
    "to": lambda t: t.to("cpu"),
    "__bool__": lambda t: bool(t.sum()),
    "equal": lambda t: t.equal(t),
    "allclose": lambda t: t.allclose(t),
    "is_nonzero": lambda t: t.sum().is_nonzero(),
    "torch.equal": lambda t: torch.equal(t, t),
    "torch.allclose": lambda t: torch.allclose(t, t),
    "torch.is_nonzero": lambda t: torch.is_nonzero(t.sum()),
    "builtins.print": lambda t: str(t),
    "builtins.float": lambda t: float(t.sum()),
    "builtins.range": lambda t: range(t.sum().long()),
    "builtins.max": lambda t: max(t.sum(), t.mean()),
    "builtins.any": lambda t: any(t[0] < 0),
    "math.sqrt": lambda t: math.sqrt(t.sum()),
}
"""By what they stand for: uses that ask for the value."""
LIGHT: dict[str, Callable[[torch.Tensor], object]] = {
    "==": lambda t: t == t,
    "builtins.abs": abs,
    "builtins.sum": lambda t: sum([t, t]),
    "builtins.len": len,
    "builtins.isinstance": lambda t: isinstance(t, torch.Tensor),
    "builtins.hash": hash,
    "builtins.iter": lambda t: list(t),
    "copy.deepcopy": lambda t: copy.deepcopy(t.detach()),
    "detach": lambda t: t.detach(),
    "view": lambda t: t.view(16),
    "sum": lambda t: t.sum(),
    "argmax": lambda t: t.argmax(),
    "topk": lambda t: t.topk(1),
    "masked_fill": lambda t: t.masked_fill(t > 3, 0),
    "matmul": lambda t: t.matmul(t),
    "zero_": lambda t: t.zero_(),
    "torch.tensor": lambda t: torch.tensor(3.0, device=t.device),
    "torch.nn.utils.clip_grad_norm_": lambda t: torch.nn.utils.clip_grad_norm_([t], 1.0),
}


_LABELS = torch.ones(1, 2, dtype=torch.long), torch.tensor([4]), torch.tensor([2])
ON_HOST: dict[str, Callable[[torch.Tensor], object]] = {
    "bincount": lambda t: t.view(16).long().bincount(),
    "bucketize": lambda t: torch.bucketize(t, t[0]),
    "ctc_loss": lambda t: functional.ctc_loss(t.unsqueeze(1), *_LABELS),
    "grid_sample": lambda t: functional.grid_sample(t.view(1, 1, 4, 4), t.view(1, 2, 4, 2)),
    "histc": lambda t: t.histc(4),
    "huber_loss": lambda t: functional.huber_loss(t, t),
    "median": lambda t: t.median(),
    "nanmedian": lambda t: t.nanmedian(),
    "searchsorted": lambda t: torch.searchsorted(t[0], t),
}
"""By their names: operations that the host computes, so that the engine first runs what they are given."""


LAYERS: dict[str, tuple[tuple[Any, ...], Callable[[], tuple[torch.Tensor, ...]]]] = {
    "Linear": ((4, 4), lambda: (torch.ones(2, 4),)),
    "Bilinear": ((4, 4, 4), lambda: (torch.ones(2, 4), torch.ones(2, 4))),
    "Embedding": ((4, 4), lambda: (torch.ones(2, dtype=torch.long),)),
    "LayerNorm": ((4,), lambda: (torch.ones(2, 4),)),
    "GroupNorm": ((2, 4), lambda: (torch.ones(2, 4, 4),)),
    **{f"BatchNorm{n}d": ((4,), partial(lambda n: (torch.ones(2, 4, *[4] * n),), n)) for n in (1, 2, 3)},
    **{name: ((4, 4), lambda: (torch.ones(2, 3, 4),)) for name in ("LSTM", "GRU", "RNN")},
    "MultiheadAttention": ((4, 1), lambda: (torch.ones(2, 3, 4),) * 3),
    "TransformerEncoderLayer": ((4, 1), lambda: (torch.ones(2, 3, 4),)),
    "TransformerDecoderLayer": ((4, 1), lambda: (torch.ones(2, 3, 4),) * 2),
    "Transformer": ((4, 1), lambda: (torch.ones(2, 3, 4),) * 2),
    **{
        f"{kind}{n}d": ((4, 4, 3), partial(lambda n: (torch.ones(2, 4, *[8] * n),), n))
        for kind in ("Conv", "ConvTranspose")
        for n in (1, 2, 3)
    },
}
"""By their names: how layers are made, and what they are called with."""


def takes_the_host(name: str) -> bool:
    """Whether a layer on the device computes something of tensors on the CPU, and its gradients."""
    sizes, inputs = LAYERS[name]
    layer = getattr(torch.nn, name)(*sizes).to(torch_xla.device())
    try:
        result = layer(*inputs())
        (result[0] if isinstance(result, tuple) else result).sum().backward()
    except RuntimeError:
        return False
    return True


ARRAYS: dict[str, Callable[[Any, Any], object]] = {
    "append": lambda made, tensor: made([1.0], tensor),
    "percentile": lambda made, tensor: made(tensor, 50),
    "save": lambda made, tensor: made(io.BytesIO(), tensor),
    **{
        name: (lambda made, tensor: made([tensor, tensor]))
        for name in ("concatenate", "hstack", "stack", "vstack")
    },
}
"""By their names: how functions of NumPy are called that take more than what they make an array of."""


def makes_arrays(name: str) -> bool:
    """Whether a function of NumPy refuses a tensor on the device, and a list of such, where it takes one."""
    made = getattr(np, name)
    call: Callable[[Any, Any], object] = ARRAYS.get(name, lambda made, tensor: made(tensor))
    tensor = torch.ones(4, device=torch_xla.device())
    refused = 0
    for given in (tensor, [tensor, tensor]):
        try:
            call(made, given)
        except TypeError:
            refused += 1
    return refused == 2


COMPARED: dict[str, tuple[Any, Any]] = {
    "cross_entropy": (torch.ones(2, 4), torch.ones(2, dtype=torch.long)),
    "nll_loss": (torch.ones(2, 4), torch.ones(2, dtype=torch.long)),
    "mse_loss": (torch.ones(2, 4), torch.ones(2, 4)),
    "smooth_l1_loss": (torch.ones(2, 4), torch.ones(2, 4)),
}
"""By the names of losses: a prediction and its target."""
OF_MODULES = {
    "cross_entropy": "CrossEntropyLoss", "nll_loss": "NLLLoss", "mse_loss": "MSELoss",
    "smooth_l1_loss": "SmoothL1Loss",
}  # fmt: skip
"""By the names of losses: the modules that compute them."""


def compares_on_one_device(name: str) -> bool:
    """Whether a loss refuses a prediction and a target of which only one is on the device."""
    refused = 0
    for compare in (getattr(functional, name), getattr(torch.nn, OF_MODULES[name])()):
        for moved in (0, 1):
            pair = [
                each.to(torch_xla.device()) if n == moved else each for n, each in enumerate(COMPARED[name])
            ]
            try:
                str(compare(*pair))
            except RuntimeError:
                refused += 1
    return refused == 4


WRAPPERS = (
    DataParallel, DistributedDataParallel, FullyShardedDataParallel, SpmdFullyShardedDataParallel,
    XlaFullyShardedDataParallel,
)  # fmt: skip


def held_by_loaders(names: Iterable[str]) -> list[str]:
    """Of some names, those that a loader of torch_xla has, of either kind."""
    device = torch_xla.device()
    made = MpDeviceLoader([torch.ones(1)], device), ParallelLoader([], [device]).per_device_loader(device)
    return sorted(name for name in names if any(hasattr(loader, name) for loader in made))


def public(names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if not name.startswith("_"))


def given_by(wrapper: type[torch.nn.Module]) -> list[str]:
    """What modules have under a public name once they are wrapped: methods, and what a method sets."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(wrapper)))
    stored = (node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_set(node))
    return public({*dir(wrapper), *stored})


def _is_set(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self"


def main() -> None:
    asked = json.load(sys.stdin)
    print(
        json.dumps(
            {
                "signatures": dict(signatures()),
                "members": members(),
                "missing": {name: why for name in asked["names"] if (why := missing(name))},
                "host methods": {name: launched_by(partial(_call, name)) for name in asked["host methods"]},
                "questions": {
                    name: launched_by(partial(_call, name))
                    for name in dir(torch.Tensor)
                    if name.startswith("is_")
                    and name != "is_nonzero"
                    and callable(getattr(torch.Tensor, name))
                },
                "host attributes": {
                    name: launched_by(operator.attrgetter(name)) for name in asked["host attributes"]
                },
                "reads": {name: launched_by(use) for name, use in READS.items()},
                "light": {name: launched_by(use) for name, use in LIGHT.items()},
                "takes the host": {name: takes_the_host(name) for name in LAYERS},
                "makes arrays": {name: makes_arrays(name) for name in asked["makes arrays"]},
                "compares": {name: compares_on_one_device(name) for name in COMPARED},
                "held by loaders": held_by_loaders(asked["of loaders"]),
                "of modules": public(dir(torch.nn.Module())),
                "of wrapped modules": sorted({name for each in WRAPPERS for name in given_by(each)}),
                "on host": {name: launched_by(use) for name, use in ON_HOST.items()},
            }
        )
    )


if __name__ == "__main__":
    main()
