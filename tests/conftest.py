"""What tests of several files use; how they are shared out where several processes run them."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# Tests start hundreds of processes. Where the environment forbids to keep compiled modules, as that of many
# containers does, each of them would compile all that it imports, and PyTorch is large.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The command collects no garbage while it checks. To look through all tests again and again costs a tenth of
# their time.
gc.set_threshold(100_000, 20, 50)


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """A file's tests go to one process, and all of the engine's too: what they share is made once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "engine" if file.startswith("tests/engine/") else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    return ByFile(config, log)


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that has one more name for every function that is interpreted."""
    from xlalint.analysis.interpreter import Interpreter

    done: list[str] = []
    run = Interpreter.interpret

    def counting(self: Interpreter, function: Any, *rest: Any, **named: Any) -> Any:
        done.append(function.name)
        return run(self, function, *rest, **named)

    monkeypatch.setattr(Interpreter, "interpret", counting)
    return done
