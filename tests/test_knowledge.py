"""What is known of functions: names against the installed libraries, facts against the real engine."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from xlalint.analysis.library.functions import EFFECTS
from xlalint.knowledge import classes, functions, lifecycle, members, methods, operations, signatures
from xlalint.knowledge.operations import Operation
from xlalint.lazy.values import Kind
from xlalint_runtime.proving.prove import NoProof, require_engine


def is_installed(name: str) -> bool:
    """Whether the package of a qualified name is there to be asked."""
    needs = "tensorboard" if name.startswith("torch.utils.tensorboard") else name.partition(".")[0]
    return " " not in name and importlib.util.find_spec(needs) is not None


KNOWN = sorted(name for name in functions.FUNCTIONS if is_installed(name))
MODULES = sorted(functions.PLAIN_MODULES | functions.HOST_MODULES - {"numpy"})
BACKEND_TESTS = sorted(name for name in functions.OTHER_BACKENDS if "." in name)
CREATED = sorted(f"torch.{name}" for name in operations.CREATIONS)
ATTRIBUTES = sorted(operations.HOST_ATTRIBUTES | operations.TENSOR_ATTRIBUTES)
OF_TENSORS = [f"torch.Tensor.{name}" for name in ATTRIBUTES]
OF_MODULES = sorted(
    f"torch.nn.Module.{name}"
    for name, effect in methods.METHODS[Kind.MODULE].items()
    if effect != "clip"  # FSDP's own
)
OF_MODULES += [
    f"torch.nn.{cls}.{name}" for cls, names in methods.OF_MODULE_CONTAINERS.items() for name in names
]
OPERATIONS = sorted(operations.OPERATIONS)
HOMES = ("torch.Tensor", "torch", "torch.nn.functional")


def doing(*wanted: Operation) -> list[str]:
    """The operations that do one of these."""
    return sorted(name for name, operation in operations.OPERATIONS.items() if operation in wanted)


@pytest.fixture(scope="module")
def engine() -> Any:
    """What one process that has imported the libraries says of them."""
    try:
        require_engine()
    except NoProof as reason:
        pytest.skip(f"not run: {reason}")
    asked = {
        "names": [
            *KNOWN, *MODULES, *BACKEND_TESTS, *CREATED, *OF_TENSORS, *OF_MODULES,
            *(f"{home}.{name}" for home in HOMES for name in OPERATIONS), *functions.FORMER_MODULES.values(),
        ],
        "host methods": doing(Operation.HOST, Operation.CAST),
        "host attributes": ATTRIBUTES,
        "of loaders": sorted(methods.OF_DATA_LOADERS),
        "makes arrays": sorted(name.removeprefix("numpy.") for name in functions.MAKING_ARRAYS),
    }  # fmt: skip
    run = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "knowledge_on_engine.py")],
        input=json.dumps(asked),
        env={**os.environ, "PJRT_DEVICE": "CPU", "PYTHONPATH": str(Path(__file__).parent.parent / "scripts")},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


def test_every_effect_has_a_handler_and_every_handler_a_function() -> None:
    assert set(functions.FUNCTIONS.values()) - _OBJECTS == set(EFFECTS)


_OBJECTS = {effect for effect in functions.FUNCTIONS.values() if effect.startswith("object ")}


@pytest.mark.engine
def test_what_the_host_computes_runs_what_it_is_given(engine: Any) -> None:
    assert engine["on host"].keys() == operations.ON_HOST
    assert {name: count for name, count in engine["on host"].items() if not count} == {}


@pytest.mark.engine
def test_layers_with_weights_take_no_tensor_of_the_host(engine: Any) -> None:
    assert engine["takes the host"].keys() == classes.WEIGHING
    assert [name for name, takes in engine["takes the host"].items() if takes] == []


@pytest.mark.engine
def test_numpy_makes_no_array_of_what_is_on_the_device(engine: Any) -> None:
    assert [name for name, refuses in engine["makes arrays"].items() if not refuses] == []


@pytest.mark.engine
def test_loaders_of_torch_xla_have_nothing_of_those_they_go_over(engine: Any) -> None:
    assert engine["held by loaders"] == []


@pytest.mark.engine
def test_some_losses_want_both_tensors_on_one_device(engine: Any) -> None:
    assert {f"torch.nn.functional.{name}" for name in engine["compares"]} == functions.COMPARING
    assert len(classes.COMPARING) == len(functions.COMPARING)
    assert [name for name, refuses in engine["compares"].items() if not refuses] == []


@pytest.mark.engine
def test_all_that_modules_have_is_known(engine: Any) -> None:
    assert set(engine["of modules"]) == methods.OF_MODULES
    assert set(engine["of wrapped modules"]) - methods.OF_MODULES == methods.OF_WRAPPED_MODULES


@pytest.mark.parametrize("effect", sorted(_OBJECTS))
def test_objects_known_by_class_have_methods_that_are_known(effect: str) -> None:
    cls = effect.removeprefix("object ")
    assert any(name.startswith(f"{cls}.") for name in functions.FUNCTIONS)


@pytest.mark.parametrize("name", sorted(functions.FORMER_MODULES))
def test_modules_that_moved_once_were_there(name: str) -> None:
    """The package of 2018 is older than the releases that were looked into: it is known to be gone."""
    package = name.partition(".")[0]
    assert lifecycle.seen(name) or (package == "torch_xla_py" and lifecycle.of(package) is not None)


@pytest.mark.engine
@pytest.mark.parametrize("name", [*KNOWN, *MODULES, *BACKEND_TESTS, *functions.FORMER_MODULES.values()])
def test_names_exist_or_once_did(name: str, engine: Any) -> None:
    assert name not in engine["missing"] or lifecycle.seen(name), engine["missing"][name]


@pytest.mark.engine
@pytest.mark.parametrize("name", [*CREATED, *OF_TENSORS, *OF_MODULES])
def test_names_of_torch_exist(name: str, engine: Any) -> None:
    assert name not in engine["missing"], engine["missing"][name]


@pytest.mark.engine
def test_functions_and_classes_take_what_the_table_says(engine: Any) -> None:
    table = Path(signatures.__file__).with_name("signatures.json")
    assert json.loads(table.read_text()) == engine["signatures"], "run scripts/build_signatures.py"


@pytest.mark.engine
def test_modules_of_torch_have_what_the_table_says(engine: Any) -> None:
    table = Path(members.__file__).with_name("members.json")
    assert json.loads(table.read_text()) == engine["members"], "run scripts/build_members.py"


@pytest.mark.engine
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_exist(name: str, engine: Any) -> None:
    assert any(f"{home}.{name}" not in engine["missing"] for home in HOMES)


@pytest.mark.engine
@pytest.mark.parametrize("kind", ["host methods", "questions", "host attributes", "light"])
def test_what_is_no_read_launches_nothing(kind: str, engine: Any) -> None:
    assert {name: count for name, count in engine[kind].items() if count} == {}


@pytest.mark.engine
def test_reads_launch_a_graph(engine: Any) -> None:
    assert {name: count for name, count in engine["reads"].items() if not count} == {}


@pytest.mark.engine
def test_every_read_has_been_measured(engine: Any) -> None:
    assert engine["reads"].keys() >= set(doing(Operation.READ, Operation.ASK))
