"""Replicas part where one does what others went on without; what follows from that is not told."""

from __future__ import annotations

import pytest

from xlalint.lazy.site import Site
from xlalint_runtime.parting import Arrival, Deed, Parting, Progress
from xlalint_runtime.sites import UserFrame

MAIN = compile("main()", "train.py", "exec")


class Run:
    """Two replicas, and what was found out about what they do."""

    def __init__(self) -> None:
        self.parting = Parting(2)
        self.found: list[str] = []

    def does(
        self, replica: int, what: str, line: int = 1, backwards: int = 1, *, meets: bool = False,
        holds: bool = False,
    ) -> None:  # fmt: skip
        name = f"{what} of {replica}"
        deed = Deed(
            what, meets, holds, _at(line, backwards),
            lambda: self.found.append(f"{name} shared"), lambda: self.found.append(f"{name} alone"),
            lambda other, _: self.found.append(f"{name} apart from {other}"),
        )  # fmt: skip
        self.parting.did(replica, deed)

    def cuts(self, replica: int, line: int = 9, backwards: int = 1) -> None:
        arrival = Arrival(
            _at(line, backwards), True, lambda deed: self.found.append(f"cut of {replica} before {deed.what}")
        )
        self.parting.arrived(replica, arrival)

    def ends(self, replica: int, pending: bool) -> None:
        self.parting.arrived(replica, Arrival(None, pending, lambda deed: self.found.append("end")))


def _at(line: int, backwards: int) -> Progress:
    return Progress(backwards, 0, (UserFrame(Site("train.py", line), MAIN),))


@pytest.fixture
def run() -> Run:
    return Run()


def test_what_both_do_is_shared_as_soon_as_both_have(run: Run) -> None:
    run.does(0, "read")
    assert run.found == []
    run.does(1, "read", line=5)
    assert run.found == ["read of 0 shared", "read of 1 shared"]


def test_two_that_wait_for_each_other_in_different_things_are_apart(run: Run) -> None:
    run.does(0, "read", holds=True)
    assert run.found == []
    run.does(1, "other read", holds=True)
    assert run.found == ["read of 0 apart from 1"]


def test_what_one_does_twice_and_the_other_once_is_alone_the_second_time(run: Run) -> None:
    for replica in (0, 0, 1):
        run.does(replica, "read")
    run.cuts(1)
    assert run.found[-1] == "read of 0 alone"
    assert run.found.count("read of 0 shared") == 1


def test_a_deed_is_alone_when_the_other_waits_at_a_cut_or_comes_there(run: Run) -> None:
    run.does(0, "save")
    run.cuts(1)
    run.does(0, "print")
    assert run.found == ["save of 0 alone", "print of 0 alone"]


def test_of_two_that_part_the_one_that_is_behind_did_what_the_other_has_passed(run: Run) -> None:
    run.does(0, "rendezvous", line=8, backwards=1, meets=True)
    run.cuts(0)
    run.does(1, "all_reduce", line=3, backwards=2, meets=True)
    assert run.found == [], "the other may still come to a rendezvous"
    run.cuts(1, backwards=2)
    assert sorted(run.found) == ["all_reduce of 1 shared", "rendezvous of 0 alone"]


def test_a_cut_is_alone_when_the_other_is_in_the_next_step_already(run: Run) -> None:
    run.cuts(0, backwards=1)
    run.does(1, "all_reduce", backwards=2, meets=True)
    run.does(1, "read", backwards=3)
    assert run.found == ["cut of 0 before all_reduce", "all_reduce of 1 shared", "read of 1 shared"]


@pytest.mark.parametrize(("pending", "meets"), [(True, False), (False, True)])
def test_who_has_ended_does_no_more(run: Run, pending: bool, meets: bool) -> None:
    run.ends(1, pending)
    run.does(0, "deed", meets=meets)
    assert run.found == ["deed of 0 alone"]


def test_who_waits_in_a_read_comes_to_nothing_that_the_other_has_done(run: Run) -> None:
    run.does(0, "read", line=4, backwards=1, holds=True)
    run.does(1, "all_reduce", line=3, backwards=2, meets=True)
    assert run.found == [], "the other may still come to a read"
    run.ends(1, pending=False)
    assert run.found == ["read of 0 alone"]


def test_nobody_waits_for_who_has_ended_with_nothing_pending(run: Run) -> None:
    run.ends(1, pending=False)
    run.does(0, "read")
    assert run.found == []
    run.ends(0, pending=False)
    run.parting.met()
    assert run.found == ["read of 0 shared"]
    assert run.parting.is_over


def test_at_a_common_cut_all_begin_anew(run: Run) -> None:
    run.does(0, "read")
    run.does(1, "read")
    run.cuts(0)
    run.cuts(1)
    run.parting.met()
    run.does(0, "read")
    assert run.found == ["read of 0 shared", "read of 1 shared"]


def test_whose_cut_the_others_went_on_without_goes_on_alone_until_the_next_common_cut(run: Run) -> None:
    run.cuts(0, line=4, backwards=1)
    assert run.parting.go_on_alone() == set()
    run.does(1, "all_reduce", backwards=2, meets=True)
    run.cuts(1, backwards=2)
    assert run.parting.go_on_alone() == {0}
    assert run.parting.go_on_alone() == set()
    assert [chain[-1].site.line for chain in run.parting.lone_cuts.values()] == [4]
    run.does(0, "all_reduce", backwards=2, meets=True)
    run.cuts(0, backwards=2)
    run.parting.met()
    assert run.parting.lone_cuts == {}
