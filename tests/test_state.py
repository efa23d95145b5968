"""All that the model knows is shown by `xlalint state`: each part is left out in turn, and the text differs.

A part is a field of the state or of what is known of a value. It is set back to what it is where nothing is
known; some line of some program here must then read otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from xlalint.analysis.engine import LineState, Program, trace
from xlalint.analysis.payloads import PAYLOADS
from xlalint.analysis.wording import in_words
from xlalint.configuration import Configuration
from xlalint.lazy.state import JOINS, Loop, State
from xlalint.lazy.values import Value
from xlalint.output.state import details
from xlalint.sources.file import SourceFile, read

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = (
    "tests/interpreter/told_of_values.py",
    "tests/interpreter/shapes_that_vary.py",
    "tests/interpreter/counted_up.py",
    "fixtures/XLA001/sampler_over_replicas.py",
    "fixtures/XLA101/launched_replicas.py",
    "tests/interpreter/contexts.py",
    "tests/interpreter/sharded_state.py",
    "fixtures/XLA403/beams_of_a_decoder.py",
    "fixtures/XLA403/cache_of_a_decoder.py",
    "fixtures/XLA701/wrapped_by_fsdpv2.py",
    "fixtures/XLA102/evaluation_kept_on_the_host.py",
    "fixtures/XLA102/loss_added_to_a_tensor_on_the_cpu.py",
    "fixtures/XLA102/loss_for_a_scheduler.py",
    "fixtures/XLA302/benchmark_of_one_step.py",
    "tests/interpreter/leaving.py",
    "tests/interpreter/trained_in_generators.py",
    "fixtures/XLA001/loop_of_2019.py",
    "fixtures/clean/device_by_its_word.py",
    "fixtures/clean/spmd_as_it_should_be.py",
    "tests/interpreter/zero_training/main.py",
    "fixtures/XLA002/names_imported_one_by_one.py",
    "fixtures/XLA103/truth_within_expressions.py",
    "fixtures/XLA201/closure_every_second_step.py",
    "fixtures/XLA213/model_of_another_module/main.py",
    "fixtures/XLA501/run_of_the_master.py",
    "fixtures/clean/checkpoints_when_the_manager_says.py",
    "tests/interpreter/chances.py",
    "tests/interpreter/set_up_late.py",
    "fixtures/XLA101/loss_of_an_unknown_model.py",
    "fixtures/XLA101/optimizer_asked_in_the_step.py",
    "fixtures/XLA702/tied_by_its_builder.py",
    "tests/interpreter/options_handed_on/main.py",
    "tests/interpreter/options_as_fields.py",
    "tests/interpreter/batches_in_strides.py",
    "tests/interpreter/checkpointed_with_a_module.py",
    "tests/interpreter/computed_by_the_host.py",
    "fixtures/XLA210/loop_of_its_own.py",
    "fixtures/XLA505/sampler_of_this_host.py",
    "fixtures/XLA507/stepped_by_xla_under_fsdp.py",
    "fixtures/XLA510/eight_unless_another_is_asked_for.py",
    "fixtures/XLA604/file_for_the_master.py",
    "fixtures/XLA701/groups_of_blocks_from_a_helper.py",
    "fixtures/XLA709/mean_of_the_epoch.py",
    "fixtures/XLA801/moved_in_the_step.py",
    "fixtures/clean/names_asked_for_first.py",
    "fixtures/clean/package_of_the_same_time.py",
    "tests/interpreter/calls.py",
    "tests/interpreter/given_to_unknown.py",
    "tests/interpreter/moved_to_the_host.py",
    "tests/interpreter/tensors_on_two_devices.py",
    "tests/interpreter/never_summed.py",
    "tests/frameworks/frozen_models/adapters.py",
    "tests/interpreter/spent_loaders.py",
    "tests/frameworks/padded_batches/train.py",
)
"""Programs that together hold something in each part."""

HIDDEN = {
    "Buffer": "modules hold it under their attributes, and give a tensor",
    "Clock.launched": "for a fix",
    "Counter.is_length": "of a slice, which no name holds",
    "Container.depth": "a bound",
    "Instance.holds": "shown where it is taken out",
    "Managed": "a `with` binds what its generator yields",
    "Mesh.axes": "the names of the axes are shown",
    "Module.or_other": "told with the classes it may be of, where there are any",
    "Moment": "the analyzer's own, under no name of the program",
    "Namespace.outline": "the module's text",
    "OfHost.asked": "a place for a message",
    "Opening.effect": "the scope is shown as it is written",
    "Opening.made": "a place for a fix",
    "Parameters.listed": "the list is shown that holds them",
    "Recursion": "what nobody knows yet is not shown as if somebody did",
    "Uneven.padded": "a place for a message",
    "Scaler.cls": "a class of the project: its methods are what is shown",
    "Shared": "objects hold it under their attributes, and give a number",
    "Shared.begun": "as above",
}
"""Parts that are not shown, and why."""

_MARKS = ("what", "is_moment")
"""Fields that tell payloads apart which would hold the same."""
SUBSTATES = ("engine", "scopes", "replicas", "gradients", "trust", "setup")
WHOLE = ("obligations", "collectives", "facts")


@dataclass
class _Changed:
    """A line before which something else is known."""

    line: int
    state: State
    values: dict[str, Value]

    def words(self, name: str) -> Iterator[str]:
        return in_words(self.values[name])


def parts_of_states() -> Iterator[str]:
    for name in SUBSTATES:
        yield from (f"{name}.{field}" for field in getattr(State(), name)._fields)
    yield from (f"loop.own.{field}" for field in Loop().own._fields)
    yield from ("loop.finds_callers", "loop.draws", *WHOLE)


def parts_of_values() -> Iterator[str]:
    yield from (f"Value.{field}" for field in Value._fields if field not in ("kind", "payload"))
    payloads: dict[str, Any] = {each.__name__: each for some in PAYLOADS.values() for each in some}
    for payload in payloads.values():
        if hasattr(payload, "_fields"):
            yield payload.__name__
            fields = (field for field in payload._field_defaults if field not in _MARKS)
            yield from (f"{payload.__name__}.{field}" for field in fields)


@cache
def traced(name: str) -> tuple[SourceFile, list[LineState]]:
    file = read(ROOT / name)
    assert isinstance(file, SourceFile)
    files = (
        [read(path) for path in sorted((ROOT / name).parent.glob("*.py"))]
        if name.endswith("main.py")
        else [file]
    )
    sources = [each for each in files if isinstance(each, SourceFile)]
    own = next(each for each in sources if each.path == file.path)
    return own, trace(Program(sources, frozenset(), Configuration()), own)


def without(state: State, part: str) -> State:
    """The state as it would be if nothing were known of a part of it."""
    changed, (name, *path) = state.copy(), part.split(".")
    held = getattr(changed, name)
    setattr(changed, name, getattr(State(), name) if not path else _without(held, path))
    return changed


def _without(held: Any, path: list[str]) -> Any:
    field, *rest = path
    default = held._field_defaults[field]
    return held._replace(**{field: _without(getattr(held, field), rest) if rest else default})


def shown(file: SourceFile, known: _Changed | LineState) -> str:
    return "\n".join("".join(span.text for span in line) for line in details(file, [known], known.line))


def shows_in_state(name: str, part: str) -> bool:
    file, states = traced(name)
    for known in states:
        changed = without(known.state, part)
        if changed.key() == known.state.key() and changed.facts == known.state.facts:
            continue
        other = _Changed(known.line, changed, {})
        if shown(file, other) != shown(file, _Changed(known.line, known.state, {})):
            return True
    return False


def shows_in_values(name: str, part: str) -> bool:
    owner, _, field = part.partition(".")
    file, states = traced(name)
    empty = State()
    for value in {value for known in states for value in known.values.values()}:
        held: Any = value if owner == "Value" else value.payload
        if type(held).__name__ != owner:
            continue
        if not field:
            changed = value._replace(payload=None)
        else:
            default = held._field_defaults[field]
            if getattr(held, field) == default:
                continue
            reset = held._replace(**{field: default})
            changed = reset if owner == "Value" else value._replace(payload=reset)
        one, other = (_Changed(1, empty, {"it": each}) for each in (value, changed))
        if shown(file, one) != shown(file, other):
            return True
    return False


def test_all_that_is_known_is_shown() -> None:
    missing = [
        part for part in parts_of_states() if not any(shows_in_state(name, part) for name in PROGRAMS)
    ] + [part for part in parts_of_values() if not any(shows_in_values(name, part) for name in PROGRAMS)]
    assert set(missing) == set(HIDDEN)


def test_each_substate_is_walked() -> None:
    walked = {type(getattr(State(), name)) for name in SUBSTATES} | {type(Loop().own)}
    assert walked >= set(JOINS)
