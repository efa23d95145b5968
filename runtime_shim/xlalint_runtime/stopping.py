"""What the guard raises in the program, on purpose."""

from __future__ import annotations


class Deliberate(BaseException):
    """Raised by the guard because the user asked for it."""


class Hazard(RuntimeError, Deliberate):
    """The program does what a rule warns of: mode `raise`. The message names the rule and the cure."""


class Parted(RuntimeError, Deliberate):
    """Replicas do different things, and would wait for ever. The message says where each is."""


class Stopped(SystemExit, Deliberate):
    """The program has come as far as it was to run: `--stop-after`, `--max-seconds`. It exits with 0.

    Attributes:
        why: Where it was stopped, in words.
    """

    def __init__(self, why: str) -> None:
        super().__init__(0)
        self.why = why
