"""Every program that the selected tests name, run on the real engine: once, and two at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from threading import Thread
from types import MappingProxyType

import pytest

from fixture_programs import Program
from xlalint_runtime.forkserver import ForkServer
from xlalint_runtime.measurement import Job, Measurement
from xlalint_runtime.prove import NoProof, jobs, measure, require_engine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/engine/" in item.path.as_posix():
            item.add_marker("engine")
    # The programs run beside the other tests, so those that ask what they did come last.
    items.sort(key=lambda item: item.get_closest_marker("engine") is not None)


def pytest_collection_finish(session: pytest.Session) -> None:
    if session.config.option.collectonly or not any(map(_asks, session.items)):
        return
    needed = [job for item in session.items for program in _programs(item) for job in jobs(program)]
    measured = session.stash[_MEASURED] = Future()
    Thread(target=_measure, args=(needed, measured), daemon=True).start()


def _asks(item: pytest.Item) -> bool:
    return "measured" in getattr(item, "fixturenames", ())


def _programs(item: pytest.Item) -> list[Program]:
    """The programs that a test is parametrized with."""
    given = getattr(item, "callspec", _NONE).params.values()
    several = [parameter if isinstance(parameter, list) else [parameter] for parameter in given]
    return [program for some in several for program in some if isinstance(program, Program)]


def _measure(needed: list[Job], measured: Future[dict[str, Measurement]]) -> None:
    try:
        require_engine()
        measured.set_result(measure(needed))
    except Exception as error:  # Whoever asks gets to see it.
        measured.set_exception(error)


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
    return request.session.stash[_MEASURED].result()


class _NoParameters:
    params: Mapping[str, object] = MappingProxyType({})


_NONE = _NoParameters()
_MEASURED: pytest.StashKey[Future[dict[str, Measurement]]] = pytest.StashKey()
