"""For pytest: the fixture `xla_guard`, and a marker for the most that a test may cost on the device."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import pytest

from xlalint.runs import Run
from xlalint_runtime.in_program import Watched, guard


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--xlalint-report`."""
    group = parser.getgroup("xlalint")
    group.addoption("--xlalint-report", metavar="FILE", help="write what the guard sees of each test to FILE")


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line(
        "markers",
        "xlalint(reads=None, launches=None, compiles=None, diagnostics=None): fails a test that makes more "
        "host reads which launch a graph, launches, compiles or diagnostics on torch_xla",
    )


@pytest.fixture
def xla_guard(request: pytest.FixtureRequest) -> Iterator[Watched]:
    """Watches the test; what was seen so far can be asked at any time."""
    with guard(report=request.config.getoption("--xlalint-report")) as watched:
        yield watched


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Watches a test that has the marker, and compares."""
    marker = item.get_closest_marker("xlalint")
    if marker is None:
        yield
        return
    with guard(report=item.config.getoption("--xlalint-report")) as watched:
        before = watched.run
        outcome = yield
    if outcome.excinfo is None:
        excesses = [*_excesses(dict(marker.kwargs), before, watched.run)]
        if excesses:
            outcome.force_exception(pytest.fail.Exception("\n".join(excesses), pytrace=False))


def _excesses(limits: dict[str, int | None], before: Run, after: Run) -> Iterator[str]:
    """What there was more of than a test may cost."""
    seen = {
        "reads": after.causes.get("reads", 0) - before.causes.get("reads", 0),
        "launches": after.launches - before.launches,
        "compiles": after.compiles - before.compiles,
        "diagnostics": len(after.diagnostics) - len(before.diagnostics),
    }
    for name, limit in limits.items():
        if name not in seen:
            raise pytest.UsageError(f"the marker xlalint has no {name!r}; it has {', '.join(seen)}")
        if limit is not None and seen[name] > limit:
            yield f"{seen[name]} {name}, and at most {limit} were allowed"
            yield from _lines(after)


def _lines(run: Run) -> Iterator[str]:
    for each in run.diagnostics:
        yield f"  {each.path}:{each.range.start.line}: {each.code} {each.message}"
