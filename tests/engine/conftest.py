"""Every program that the selected tests name, run on the real engine: once, and two at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import pytest

from fixture_programs import Program
from xlalint_runtime.forkserver import ForkServer
from xlalint_runtime.measurement import Job, Measurement
from xlalint_runtime.prove import NoProof, jobs, measure_on, require_engine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/engine/" in item.path.as_posix():
            item.add_marker("engine")


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
def measured(server: ForkServer, request: pytest.FixtureRequest) -> dict[str, Measurement]:
    """What each program did that a selected test is parametrized with, by the path of its entry."""
    needed: list[Job] = []
    for item in request.session.items:
        for parameter in getattr(item, "callspec", _NONE).params.values():
            programs = parameter if isinstance(parameter, list) else [parameter]
            needed += [job for p in programs if isinstance(p, Program) for job in jobs(p)]
    return measure_on(server, needed)


class _NoParameters:
    params: Mapping[str, object] = MappingProxyType({})


_NONE = _NoParameters()
