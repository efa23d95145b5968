"""Which parameters of the models that ran are never updated."""

from __future__ import annotations

import threading
import weakref
from collections import defaultdict
from collections.abc import Iterable

import torch

from xlalint.runs import Untrained
from xlalint_runtime import pending

MOST_NAMED = 4
"""Of the parameters that are not updated, so many are named."""


class _Waiting:
    """A parameter that was not seen to change so far."""

    def __init__(self, parameter: torch.Tensor, name: str) -> None:
        self.tensor = weakref.ref(parameter)
        self.name = name
        self.version = _version(parameter)
        self.why = "no optimizer that stepped holds them"


class Models:
    """The models that were run to be trained, and what of them the optimizers have changed since."""

    def __init__(self) -> None:
        self._known: weakref.WeakSet[torch.nn.Module] = weakref.WeakSet()
        self._all: defaultdict[str, set[int]] = defaultdict(set)
        self._waiting: dict[str, dict[int, _Waiting]] = defaultdict(dict)
        """By model, the parameters that nothing has changed yet, by their identity."""
        self._lock = threading.Lock()
        self.steps = 0

    def ran(self, module: torch.nn.Module) -> None:
        """A model on the device was called."""
        if module in self._known or not torch.is_grad_enabled():
            return
        with self._lock:
            self._known.add(module)
            model = type(module).__name__
            for name, parameter in module.named_parameters():
                if parameter.requires_grad and id(parameter) not in self._all[model]:
                    self._all[model].add(id(parameter))
                    self._waiting[model][id(parameter)] = _Waiting(parameter, name)

    def stepped(self, held: Iterable[torch.Tensor]) -> None:
        """An optimizer that holds these parameters has stepped."""
        with self._lock:
            self.steps += 1
            for waiting in filter(None, self._waiting.values()):  # Mostly all have changed after one step.
                for tensor in held:
                    one = waiting.get(id(tensor))
                    if one is None:
                        continue
                    if tensor.grad is not None:
                        # Not all optimizers change parameters in a way that counts as a version.
                        one.why = "their optimizer did not change them"
                    elif one.why.startswith("no optimizer"):
                        one.why = "no gradient reached them"
                self._drop_changed(waiting)

    def _drop_changed(self, waiting: dict[int, _Waiting]) -> None:
        held = {key: one.tensor() for key, one in waiting.items()}
        alive = {key: tensor for key, tensor in held.items() if tensor is not None}
        changed = {key for key, tensor in alive.items() if _version(tensor) != waiting[key].version}
        still = [tensor for key, tensor in alive.items() if key not in changed]
        changed |= {id(tensor) for tensor in pending.needing_materialisation(still)}
        for key in changed:
            del waiting[key]

    def untrained(self) -> tuple[Untrained, ...]:
        """What no optimizer has changed, by model and by why; nothing where none has stepped."""
        found = []
        with self._lock:
            for model, waiting in self._waiting.items() if self.steps else ():
                reasons: defaultdict[str, list[str]] = defaultdict(list)
                for one in waiting.values():
                    reasons[one.why].append(one.name)
                found += [
                    Untrained(model, tuple(names[:MOST_NAMED]), len(names), len(self._all[model]), why)
                    for why, names in reasons.items()
                ]
        return tuple(found)


def _version(tensor: torch.Tensor) -> int:
    return 0 if tensor.is_inference() else tensor._version
