"""Work between the steps of a loop: where it is recorded, which no hook sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch_xla

from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import Weight
from xlalint_runtime import pending
from xlalint_runtime.pending import Noted
from xlalint_runtime.sites import Chain

_ATTEMPTS = 3
"""So many iterations are asked where their work is recorded; asking makes recording slower."""


class Outside:
    """What one replica records between its steps. The engine is asked for places when there is something."""

    def __init__(self) -> None:
        self._places: dict[Site, list[Site]] = {}
        self._attempts: dict[Site, int] = {}
        self._wanted = self._asking = False

    def ask(self) -> None:
        """A step has ended: from here on the engine notes places, if there was work before this step."""
        if self._wanted and not torch_xla._XLAC._get_ir_debug():
            self._wanted, self._asking = False, True
            torch_xla._XLAC._set_ir_debug(True)

    def recorded(self, state: State, step: Site, chain: Chain) -> Iterable[Site]:
        """Where the light work that waits was recorded, as far as it is known.

        Args:
            state: What the model knows where the step begins.
            step: Where it begins.
            chain: The calls that lead to the loop around it.
        """
        waits = state.engine.recorded.must is Weight.LIGHT and state.loop.own.opens_step
        if self._asking:
            self._asking = False
            torch_xla._XLAC._set_ir_debug(False)
            device = pending.default_device()
            if waits and device is not None:
                self._places[step] = list(_places(pending.frames_of_work(device), chain))
        if not waits:
            return ()
        if not self._places.get(step) and self._attempts.get(step, 0) < _ATTEMPTS:
            self._attempts[step] = self._attempts.get(step, 0) + 1
            self._wanted = True
        return self._places.get(step, ())


def _places(recorded: list[list[Noted]], chain: Chain) -> Iterator[Site]:
    """Where the loop itself does it, or calls what does; else where it is done."""
    code = chain[-1].code if chain else None
    for frames in recorded:
        here = (f for f in frames if code and (f.function, f.path) == (code.co_name, code.co_filename))
        frame = next(here, frames[0] if frames else None)
        if frame is not None:
            yield Site(frame.path, frame.line, 0, frame.line)
