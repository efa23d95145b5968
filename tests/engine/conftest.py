"""Every program that the selected tests name, run on the real engine: once, and two at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import pytest

from fixture_programs import Program
from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Measurement
from xlalint_runtime.proving.prove import NoProof, jobs, measure, require_engine

# Programs this small are compiled for longer than they run. How well is nothing that a test asserts: it is
# the same for both of two programs that are compared. Soak runs them as the engine would by itself.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/engine/" in item.path.as_posix():
            item.add_marker("engine")
    # They take longest, so with several workers one begins with them.
    items.sort(key=lambda item: item.get_closest_marker("engine") is None)


def _programs(item: pytest.Item) -> list[Program]:
    """The programs that a test is parametrized with."""
    given = getattr(item, "callspec", _NONE).params.values()
    several = [each if isinstance(each, list | tuple) else [each] for each in given]
    return [program for some in several for program in some if isinstance(program, Program)]


@pytest.fixture(scope="session")
def engine() -> None:
    """Skips what needs the engine where it cannot be installed."""
    try:
        require_engine()
    except NoProof as reason:
        pytest.skip(f"not run: {reason}")


@pytest.fixture(scope="session")
def server(engine: None) -> Iterator[ForkServer]:
    """One process that has imported the engine, for all tests."""
    with ForkServer() as running:
        yield running


@pytest.fixture(scope="session")
def measured(engine: None, request: pytest.FixtureRequest) -> dict[str, Measurement]:
    """What each program did that a selected test is parametrized with, by the path of its entry."""
    asking = [item for item in request.session.items if "measured" in getattr(item, "fixturenames", ())]
    return measure([job for item in asking for program in _programs(item) for job in jobs(program)])


class _NoParameters:
    params: Mapping[str, object] = MappingProxyType({})


_NONE = _NoParameters()
