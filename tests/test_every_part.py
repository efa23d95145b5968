"""Every part of the state is needed: without it, some program gets another answer.

A field left out of a join keeps what it was on one of the two ways. A part left out of a context makes one
summary serve calls that differ in it. A flag of an obligation's terms is turned round.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import pytest

from checking import diagnostics_of, mark_of
from fixture_programs import bad_programs, clean_programs
from interpreter_programs import FOLDER, PROGRAMS, found, wrong_states
from xlalint.analysis.machine import Machine
from xlalint.analysis.reuse.summaries import context_key
from xlalint.analysis.store import Store
from xlalint.lazy.gradients import Gradients
from xlalint.lazy.model import LazyModel
from xlalint.lazy.obligations import TERMS, Asked, Terms
from xlalint.lazy.state import JOINS, Loop, State, join, join_loops
from xlalint.registry import all_rules

EVERYTHING = [
    *PROGRAMS,
    *sorted(path for path in (FOLDER.parent / "frameworks").iterdir() if path.is_dir()),
    *(
        root
        for program in (*bad_programs(), *clean_programs())
        for root in (program.root, *([program.fixed.root] if program.fixed is not None else []))
    ),
]

OFF = [rule.code for rule in all_rules() if not rule.enabled and rule.code != "XLA092"]
"""Rules that are off by default are asked, too."""

Leave = Callable[[pytest.MonkeyPatch], None]


class Mutant(NamedTuple):
    """A part of the analyzer left out.

    Args:
        name: What is left out of what.
        leave: Leaves it out.
        first: The program that was written for it, which is asked first.
    """

    name: str
    leave: Leave
    first: str


UNNOTICED = {
    "join Scopes.in_forward: one": "it is the same on both ways: a forward begins and ends with one call",
    "join Scopes.in_forward: other": "it is the same on both ways: a forward begins and ends with one call",
    "join Scopes.in_batches: one": "it is the same on both ways: they are in the same loops",
    "join Scopes.in_batches: other": "it is the same on both ways: they are in the same loops",
    "join Scopes.seldom: one": "it is the same on both ways: whoever called has set it",
    "join Scopes.seldom: other": "it is the same on both ways: whoever called has set it",
    "join Scopes.between: one": "it is the same on both ways: whoever goes over the generator has set it",
    "join Scopes.between: other": "it is the same on both ways: whoever goes over the generator has set it",
    "context engine.idle_since": "a called function starts with none",
    "context engine.markers": "a called function starts with none",
    "context engine.skip_cut": "no program was found that calls a function between a trace and a loader",
    "context loop": "a called function starts with none",
    "context collectives": "a called function starts with none",
    "terms READ.dropped_by_cut": "a cut settles it",
    "terms FORWARD_SPLIT.told_apart_by_detail": "no call is entered with it",
    "terms FORWARD_SPLIT.settled_by_one_arm": "it is told once at its place",
    "terms FORWARD_SPLIT.enters_calls": "no program was found that trains in a loop below such a cut",
    "terms STEP_IN_TWO.told_apart_by_detail": "no call is entered with it",
    "terms ACCUMULATION.told_apart_by_detail": "no call is entered with it",
    "terms COLLECTIVE.told_apart_by_detail": "no call is entered with it",
    "terms CUT_IN_STEP.dropped_by_cut": "a cut settles it",
    "terms CUT_IN_STEP.settled_by_one_arm": "it is told once at its place",
    "terms CUT_IN_STEP.told_apart_by_detail": "what is called leaves it to its caller then",
    "terms CUT_IN_STEP.enters_calls": "it is told in any case, be it as a note",
    "terms READ.settled_by_one_arm": "where one arm has cut, it is owed by the test that leads to the other",
    "terms READ.told_apart_by_detail": "what settles it asks for no detail",
    "terms SPLIT_STEP.told_apart_by_detail": "what settles it asks for no detail",
    "terms FORWARD_CUT.told_apart_by_detail": "what settles it asks for no detail",
    "terms FORWARD_CUT.settled_by_one_arm": "it is told once at its place",
    "terms FORWARD_CUT.placed_in_caller": "no program was found whose backward is in a caller of such a loop",
    "terms CLIP.told_apart_by_detail": "what settles it asks for no detail",
    "terms STEPS.dropped_by_cut": "a cut settles it",
    "terms STEPS.placed_in_caller": "updates of a step are told apart; no program was found since",
    "terms STEPS.told_apart_by_detail": "what settles it asks for no detail",
    "terms CLOSURE.told_apart_by_detail": "what settles it asks for no detail",
    "terms LONE_CUT.told_apart_by_detail": "what settles it asks for no detail",
    "terms DEVICE.told_apart_by_detail": "what settles it asks for no detail",
    "terms AUTOCAST.placed_in_caller": "it ends in the function in which it began",
    "terms AUTOCAST.dropped_by_work": "the work itself is what it is told for",
    "terms CLOSURE.dropped_by_work": "no rule judges it",
    "terms TIED.settled_by_one_arm": "it is told once at its place",
    "terms TIED.told_apart_by_detail": "what settles it asks for no detail",
    "terms RUN.told_apart_by_detail": "what settles it asks for no detail",
    "terms RUN.settled_by_one_arm": "it is told once at its place, by whichever call",
    "terms SERVER.told_apart_by_detail": "there is no detail",
    "terms SERVER.settled_by_one_arm": "it is told once at its place",
    "terms SERVER.placed_in_caller": "it is told where the profile is captured",
    "terms LOADER.settled_by_one_arm": "it is told once at its place",
    "context setup.caches": "it is the same throughout a program",
    "join Setup.caches: one": "it is the same throughout a program",
    "join Setup.caches: other": "it is the same throughout a program",
    "terms SINGLE.told_apart_by_detail": "what settles it asks for no detail",
    "terms SINGLE.settled_by_one_arm": "it is told once at its place, by whichever call",
    "terms STEPPED.settled_by_one_arm": "it is told once at its place",
    "terms AUTOCAST.told_apart_by_detail": "there is no detail",
    "terms AUTOCAST.settled_by_one_arm": "it is told once at its place",
    "terms SEED.told_apart_by_detail": "what settles it asks for no detail",
    "terms DRAWN.told_apart_by_detail": "what settles it asks for no detail",
    "terms DRAWN.settled_by_one_arm": "the seed is told with it",
    "terms DRAWN.placed_in_caller": "no rule judges it",
    "terms SEEDED.told_apart_by_detail": "what settles it asks for no detail",
    "terms SEEDED.settled_by_one_arm": "nothing settles it",
    "terms SEEDED.placed_in_caller": "no rule judges it",
    "terms SPENT.placed_in_caller": "no rule judges it",
    "terms OWN_SEED.told_apart_by_detail": "there is no detail",
    "terms OWN_WEIGHTS.told_apart_by_detail": "there is no detail",
    "terms OWN_WEIGHTS.placed_in_caller": "no rule judges it",
    "terms STEPPED.dropped_by_cut": "a step of an optimizer is found right after the other",
    "terms STEPPED.told_apart_by_detail": "no call is entered with it",
    "terms UNPRIMED.told_apart_by_detail": "there is no detail",
    "terms DEVICE.dropped_by_work": "the device is in use from then on",
    "terms DEVICE.settled_by_one_arm": "it is told once at its place, by whichever launch",
    "terms ACCUMULATION.settled_by_one_arm": "nothing settles it",
    "terms CLOSURE.placed_in_caller": "no rule judges it",
    "terms COLLECTIVE.placed_in_caller": "it is settled where the test stands",
    "terms VARYING.told_apart_by_detail": "what settles it asks for no detail",
    "terms LOWERED.settled_by_one_arm": "it ends in the function in which it began",
    "terms LOWERED.placed_in_caller": "it ends in the function in which it began",
    "terms PRECISE.settled_by_one_arm": "what is told is the autocast, once at its place",
    "terms PRECISE.told_apart_by_detail": "there is no detail",
    "terms PRECISE.placed_in_caller": "no rule judges it",
    "terms TRACED.settled_by_one_arm": "it is told once at its place",
    "terms TRACED.told_apart_by_detail": "there is no detail",
    "join Activity.fetches: one": "only cures know of it",
    "join Loop.finds_callers: one": "both ways came through the head of the same loop",
    "join Loop.finds_callers: other": "both ways came through the head of the same loop",
}
"""What no program can notice, and why. Whoever finds a program that does takes its line away."""

NOTICED_ELSEWHERE = {
    "join Setup.registered: one": "checkpointed_with_a_module_of_some",
    "join Setup.registered: other": "checkpointed_with_a_module_of_some",
    "context setup.registered": "checkpointed_with_a_module_of_some",
    "join Engine.parameters: one": "break_then_save",
    "join Activity.reads: one": "predictions_read_batch_by_batch",
    "join Activity.opens_step: one": "closure_in_step",
    "join Activity.closures: one": "method_closure",
    "context replicas.launched": "zero_training",
    "context engine.clock": "clocks",
    "context engine.unwaited": "clocks",
    "join Engine.clock: one": "clocks",
    "join Engine.clock: other": "clocks",
    "join Engine.unwaited: one": "clocks",
    "join Engine.unwaited: other": "clocks",
    "join Activity.dynamo: one": "compiled_by_dynamo",
    "join Activity.dynamo: other": "compiled_by_dynamo",
    "terms TRACED.dropped_by_cut": "step_closures",
    "terms TRACED.dropped_by_work": "step_closures",
    "terms TRACED.enters_calls": "step_closures",
    "terms TRACED.placed_in_caller": "traced_forward_of_a_module",
    "terms EXIT.enters_calls": "breaks_before_a_cut",
    "terms STEP_IN_TWO.dropped_by_cut": "marker_before_barrier",
    "terms ACCUMULATION.placed_in_caller": "gradients_over_batches",
    "join Engine.eager: one": "eager",
    "join Engine.idle_since: one": "break_then_save",
    "join Engine.markers: one": "own_framework",
    "context engine.of_forward": "markers_in_forward",
    "join Loop.draws: one": "random_numbers_of_one_round",
    "join Gradients.met: one": "never_summed",
    "context gradients.met": "never_summed",
    "join Gradients.accumulated: one": "gradients_over_batches",
    "join Gradients.accumulated: other": "gradients_over_batches",
    "context gradients.accumulated": "gradients_over_batches",
    "context scopes.in_batches": "updates_of_a_step",
    "terms READ.dropped_by_work": "hierarchy",
    "terms COLLECTIVE.dropped_by_work": "work_after",
    "terms STEPS.dropped_by_work": "work_after",
    "terms DEVICE.dropped_by_cut": "device_in_use",
    "terms DEVICE.enters_calls": "device_in_use",
    "terms DEVICE.placed_in_caller": "device_in_use",
    "terms AUTOCAST.dropped_by_cut": "autocasts",
    "terms AUTOCAST.enters_calls": "autocasts",
    "terms TIED.dropped_by_cut": "tied",
    "terms TIED.enters_calls": "tied",
    "terms TIED.placed_in_caller": "tied",
    "terms TIED.dropped_by_work": "tied",
    **{
        f"terms {owed}.{flag}": "seeds"
        for owed in ("SEED", "DRAWN", "SEEDED")
        for flag in Terms._fields
        if flag not in ("needs_heavy_work", "told_apart_by_detail", "settled_by_one_arm", "placed_in_caller")
    },
    **{
        f"terms {owed}.{flag}": "weights_of_each_replica"
        for owed in ("OWN_SEED", "OWN_WEIGHTS")
        for flag in ("dropped_by_cut", "enters_calls", "dropped_by_work", "settled_by_one_arm")
    },
    "terms SPENT.settled_by_one_arm": "spent_loaders",
    **{
        f"terms SPENT.{flag}": "handed_to_two_helpers"
        for flag in ("dropped_by_cut", "enters_calls", "dropped_by_work", "told_apart_by_detail")
    },
    "terms OWN_SEED.placed_in_caller": "weights_of_each_replica",
    "terms SEED.settled_by_one_arm": "seeds",
    "terms SEED.placed_in_caller": "seeds",
    "terms STEPPED.placed_in_caller": "stepped_again_by_a_helper",
    "join Replicas.backend: one": "summed_again",
    "join Activity.asks: one": "asked_for_preemption",
    "join Setup.mesh: one": "spmd_in_one_process",
    "join Setup.marked: one": "spmd_in_one_process",
    "join State.obligations: one": "break_then_save",
    "context engine.eager": "eager",
    "context replicas.sharded": "summed_again",
    "context replicas.backend": "summed_again",
    "context scopes.seldom": "summed_again",
    "context setup.mesh": "spmd_in_one_process",
    "context setup.marked": "spmd_in_one_process",
    "terms RUN.dropped_by_cut": "set_up_late",
    "terms RUN.enters_calls": "set_up_by_a_helper",
    "terms RUN.placed_in_caller": "set_up_by_a_helper",
    "terms RUN.dropped_by_work": "set_up_late",
    "terms SERVER.dropped_by_cut": "set_up_late",
    "terms SERVER.enters_calls": "captured_by_a_helper",
    "terms SERVER.dropped_by_work": "set_up_late",
    "terms LOADER.dropped_by_cut": "set_up_late",
    "terms LOADER.told_apart_by_detail": "epoch_of_another_module",
    "terms LOADER.enters_calls": "epoch_of_another_module",
    "terms LOADER.placed_in_caller": "epoch_of_another_module",
    "terms LOADER.dropped_by_work": "set_up_late",
    "terms SINGLE.dropped_by_cut": "spmd_in_one_process",
    "terms SINGLE.enters_calls": "seeded_by_a_helper",
    "terms SINGLE.placed_in_caller": "seeded_by_a_helper",
    "terms SINGLE.dropped_by_work": "spmd_in_one_process",
    "terms WRITTEN.dropped_by_cut": "files_read",
    "terms WRITTEN.settled_by_one_arm": "files_read",
    "terms WRITTEN.told_apart_by_detail": "files_read",
    "terms WRITTEN.enters_calls": "files_read",
    "terms WRITTEN.placed_in_caller": "vocabulary_of_the_master",
    "terms WRITTEN.dropped_by_work": "files_read",
    "terms REFERENCES.dropped_by_cut": "files_read",
    "terms REFERENCES.settled_by_one_arm": "files_read",
    "terms REFERENCES.told_apart_by_detail": "files_read",
    "terms REFERENCES.enters_calls": "files_read",
    "terms REFERENCES.placed_in_caller": "saved_by_a_helper",
    "terms REFERENCES.dropped_by_work": "files_read",
    **{
        f"terms UNPRIMED.{flag}": "restored"
        for flag in Terms._fields
        if flag not in ("needs_heavy_work", "told_apart_by_detail")
    },
    "terms VARYING.dropped_by_cut": "chances",
    "terms VARYING.settled_by_one_arm": "chances",
    "terms VARYING.enters_calls": "mixed_by_chance",
    "terms VARYING.placed_in_caller": "mixed_by_chance",
    "terms VARYING.dropped_by_work": "chances",
    "terms LOWERED.dropped_by_cut": "precisions",
    "terms LOWERED.told_apart_by_detail": "objective_of_another_module",
    "terms LOWERED.enters_calls": "objective_of_another_module",
    "terms LOWERED.dropped_by_work": "precisions",
    "terms PRECISE.dropped_by_cut": "precisions",
    "terms PRECISE.enters_calls": "objective_of_another_module",
    "terms PRECISE.dropped_by_work": "precisions",
    "join Scopes.no_grad: one": "histories",
    "join Scopes.no_grad: other": "histories",
    "context scopes.no_grad": "histories",
    "context scopes.between": "trained_in_generators",
    "join Activity.moves: one": "moved_in_the_step",
    "join Activity.moves: other": "moved_in_the_step",
}
"""Programs that notice what the one does not that is asked first: to ask all others takes long."""


# Left out of a join ------------------------------------------------------------------------------


def joins() -> Iterator[Mutant]:
    for way, name in enumerate(("one", "other")):
        for of, fields in JOINS.items():
            for field in fields:
                yield Mutant(f"join {of.__name__}.{field}: {name}", _of_table(of, field, way), "ways")
        for field in Gradients._fields:
            yield Mutant(f"join Gradients.{field}: {name}", _of_gradients(field, way), "ways")
        for field in Loop._fields:
            yield Mutant(f"join Loop.{field}: {name}", _of_loops(field, way), "ways")
        for part in ("obligations", "collectives"):
            yield Mutant(f"join State.{part}: {name}", _of_states(part, way), "ways")


def _of_table(of: type[Any], field: str, way: int) -> Leave:
    return lambda monkeypatch: monkeypatch.setitem(JOINS[of], field, lambda *ways: ways[way])


def _of_gradients(field: str, way: int) -> Leave:
    original = Gradients.join

    def joined(*ways: Gradients) -> Gradients:
        return original(*ways)._replace(**{field: getattr(ways[way], field)})

    return lambda monkeypatch: monkeypatch.setattr(Gradients, "join", joined)


def _of_loops(field: str, way: int) -> Leave:
    def joined(*ways: Loop) -> Loop:
        return join_loops(*ways)._replace(**{field: getattr(ways[way], field)})

    return lambda monkeypatch: _everywhere(monkeypatch, join_loops, joined)


def _of_states(part: str, way: int) -> Leave:
    def joined(*ways: State) -> State:
        after = join(*ways)
        setattr(after, part, getattr(ways[way], part))
        return after

    return lambda monkeypatch: _everywhere(monkeypatch, join, joined)


# Left out of a context ---------------------------------------------------------------------------


def contexts() -> Iterator[Mutant]:
    for given in ("names", "captured"):
        yield Mutant(f"context {given}", _of_what_is_given(given), "contexts")
    yield Mutant("context attributes", _nothing_is_touched, "contexts")
    yield Mutant("context asked for", _nothing_is_asked_for, "contexts")
    for part in State.__slots__:
        for field in getattr(getattr(State(), part), "_fields", ()) if part != "loop" else ():
            yield Mutant(f"context {part}.{field}", _of_the_state(part, field), "contexts")
    for part in ("obligations", "loop", "collectives"):
        yield Mutant(f"context {part}", _of_the_state(part), "contexts")


def _of_what_is_given(part: str) -> Leave:
    def key(*given: Any) -> Any:
        names = ("names", "captured", "state")
        return context_key(**{**dict(zip(names, given, strict=True)), part: {}})

    return lambda monkeypatch: _everywhere(monkeypatch, context_key, key)


def _nothing_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "touch", lambda machine, attribute: None)


def _nothing_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Asked, "sorts", property(lambda asked: 0, lambda asked, sorts: None))


def _of_the_state(part: str, field: str = "") -> Leave:
    def key(names: Any, captured: Any, state: State) -> Any:
        return context_key(names, captured, _without(state, part, field))

    return lambda monkeypatch: _everywhere(monkeypatch, context_key, key)


# Terms, and what else the state is asked ---------------------------------------------------------


def terms() -> Iterator[Mutant]:
    """All flags but the one that the guard alone reads, which tests of the model hold."""
    for owed, flags in TERMS.items():
        for flag in Terms._fields:
            if flag != "needs_heavy_work":
                turned = flags._replace(**{flag: not getattr(flags, flag)})
                yield Mutant(f"terms {owed.name}.{flag}", _turned(owed, turned), "owed")


def _turned(owed: Any, turned: Terms) -> Leave:
    return lambda monkeypatch: monkeypatch.setitem(TERMS, owed, turned)


def questions() -> Iterator[Mutant]:
    yield Mutant("wrapped models reduce", _blind(LazyModel.backward, "replicas", "wrapped"), "ways")
    yield Mutant("what unknown callees may do", _blind(LazyModel.assumed_uncut, "trust", "opaque"), "ways")
    yield Mutant(
        "what unknown callees may sum",
        _blind(LazyModel.change_gradients, "trust", "summing"),
        "summed_by_unknown",
    )
    yield Mutant("what a bound may hide", _blind(LazyModel.assumed, "trust", "bounded"), "ways")
    yield Mutant("whether eager mode is on", _blind(LazyModel.assumed, "engine", "eager"), "eager")
    yield Mutant("moves told to the caller", _untold_moves, "guesses")
    for name in ("needs_gpu", "_expects_error", "guards_imports"):
        yield Mutant(name, _denied(name), "guesses")


def _blind(transition: Callable[..., Any], part: str, field: str) -> Leave:
    """A transition that does not see a field."""

    def blind(model: LazyModel, state: State, *arguments: Any, **options: Any) -> Any:
        held = getattr(state, part)
        setattr(state, part, getattr(_without(state, part, field), part))
        result = transition(model, state, *arguments, **options)
        setattr(state, part, getattr(state, part)._replace(**{field: getattr(held, field)}))
        return result

    return lambda monkeypatch: monkeypatch.setattr(LazyModel, transition.__name__, blind)


def _untold_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Store.move_module

    def move(store: Store, identity: Any, path: Any) -> None:
        original(store, identity, path)
        del store.moved[identity]

    monkeypatch.setattr(Store, "move_module", move)


def _denied(name: str) -> Leave:
    def deny(monkeypatch: pytest.MonkeyPatch) -> None:
        (asked,) = {vars(module)[name] for module in _modules() if name in vars(module)}
        _everywhere(monkeypatch, asked, lambda *_: False)

    return deny


def _without(state: State, part: str, field: str) -> State:
    """The state with one field, or one part, as it is at the beginning."""
    other, fresh = state.copy(), getattr(State(), part)
    if field:
        fresh = getattr(state, part)._replace(**{field: getattr(fresh, field)})
    setattr(other, part, fresh)
    return other


def _everywhere(monkeypatch: pytest.MonkeyPatch, original: Any, replacement: Any) -> None:
    """Put a function in the place of another in every module that knows it."""
    for module in _modules():
        for name, value in list(vars(module).items()):
            if value is original:
                monkeypatch.setattr(module, name, replacement)


def _modules() -> list[Any]:
    return [module for name, module in sys.modules.items() if name.startswith("xlalint.")]


# What programs say -------------------------------------------------------------------------------

MUTANTS = [*joins(), *contexts(), *terms(), *questions()]


@cache
def usual(program: Path) -> object:
    """What is said of a program when nothing is left out."""
    return said(program)


def said(program: Path) -> object:
    """What tests hold of a program: its diagnostics, and the states that its comments ask for."""
    try:
        if program in PROGRAMS:
            return found(program), wrong_states(program)
        return {
            (mark_of(diagnostic, program), diagnostic.certainty)
            for diagnostic in diagnostics_of(program, *OFF)
        }
    except AssertionError as broken:
        return broken  # The analyzer itself misses what is left out.


NOTICED: Counter[Path] = Counter()
"""How many mutants each program noticed: what noticed many of them may well notice the next one."""


def noticing(mutant: Mutant) -> Path | None:
    """A program of which something else is said."""
    first = _asked_first(mutant)
    for program in sorted(EVERYTHING, key=lambda program: (program.stem not in first, -NOTICED[program])):
        before = usual(program)  # now, while nothing is left out; most programs need not be asked
        with pytest.MonkeyPatch.context() as monkeypatch:
            mutant.leave(monkeypatch)
            if said(program) == before:
                continue
        NOTICED[program] += 1
        return program
    return None


def _asked_first(mutant: Mutant) -> tuple[str | None, ...]:
    return mutant.first, NOTICED_ELSEWHERE.get(mutant.name)


def marked(mutant: Mutant) -> object:
    """A mutant for the usual run, or for soak.

    Of the two ways into a join, the usual run leaves out one, and of the joins seven in eight. Of all else
    it leaves out three in four.
    """
    is_join = mutant.name.startswith("join ")
    share = 8 if is_join else 4
    in_soak = (is_join and mutant.name.endswith(": other")) or crc32(mutant.name.encode()) % share != 0
    return pytest.param(mutant, marks=[pytest.mark.soak] if in_soak else [], id=mutant.name)


@pytest.mark.parametrize("mutant", [marked(one) for one in MUTANTS if one.name not in UNNOTICED])
def test_a_program_notices(mutant: Mutant) -> None:
    program = noticing(mutant)
    assert program is not None
    assert program.stem in _asked_first(mutant), f"to ask all others takes long: name {program.stem} above"


@pytest.mark.soak
@pytest.mark.parametrize(
    "mutant", [mutant for mutant in MUTANTS if mutant.name in UNNOTICED], ids=lambda mutant: mutant.name
)
def test_no_program_notices(mutant: Mutant) -> None:
    assert noticing(mutant) is None, f"noticed after all, though {UNNOTICED[mutant.name]}"


def test_what_nobody_notices_is_left_out_somewhere() -> None:
    assert {mutant.name for mutant in MUTANTS} >= UNNOTICED.keys() | NOTICED_ELSEWHERE.keys()
