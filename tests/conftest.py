"""How tests are shared out where several processes run them (`python3 dev.py test`)."""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """A file's tests go to one process, and all of the engine's too: what they share is made once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "engine" if file.startswith("tests/engine/") else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    return ByFile(config, log)
