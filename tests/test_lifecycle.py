"""The lifecycle table: hand-kept lines against the measured releases and the installed library."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import pytest

from xlalint.knowledge import lifecycle
from xlalint.knowledge.gone import OF_TORCH
from xlalint.knowledge.lifecycle import Lifecycle
from xlalint.lazy.events import ApiUsed
from xlalint.lazy.site import Site
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule
from xlalint.versions import LATEST, RELEASES, VersionRange, parse_range, show
from xlalint_rules.xla001_removed_api import RemovedApi
from xlalint_rules.xla002_deprecated_api import DeprecatedApi

KEPT = lifecycle._SUCCESSORS
OURS = "torch_xla."


def gone() -> Iterator[str]:
    table = json.loads(files("xlalint.knowledge").joinpath("removed.json").read_bytes())
    for names in table["names"].values():
        yield from names


@pytest.mark.parametrize("table", ["releases.json", "removed.json"])
def test_a_target_can_be_any_release_that_was_measured_and_no_other(table: str) -> None:
    measured = json.loads(files("xlalint.knowledge").joinpath(table).read_bytes())["releases"]
    assert [show(release) for release in RELEASES] == measured


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_by_hand_once_existed(name: str) -> None:
    life = lifecycle.of(name)
    assert life is not None
    assert life.since == lifecycle.seen(name)[0]
    if life.removed is None:
        assert lifecycle.exists(name, LATEST)
    else:
        assert lifecycle._following(lifecycle.seen(name)[-1]) == life.removed


@pytest.mark.parametrize(
    "name", [name for name, kept in KEPT.items() if (kept.successor or "").startswith(OURS)]
)
def test_a_successor_exists_from_the_release_it_is_said_to(name: str) -> None:
    kept = KEPT[name]
    assert kept.successor is not None
    present = lifecycle.seen(kept.successor)
    assert (present[0], present[-1]) == (kept.successor_since, LATEST)


@pytest.mark.parametrize("name", [name for name, kept in KEPT.items() if kept.deprecated])
def test_a_name_is_deprecated_while_it_exists(name: str) -> None:
    life = lifecycle.of(name)
    assert life is not None and life.deprecated is not None
    assert lifecycle.exists(name, life.deprecated)
    assert life.removed is None or life.deprecated < life.removed


def test_the_keywords_of_a_successor_exist_from_the_release_they_are_said_to() -> None:
    life = lifecycle.of("torch_xla.core.xla_model.mark_step")
    assert life is not None and set(life.keywords) == {"wait", "reset_scope"}
    for keyword, known in life.keywords.items():
        assert lifecycle.seen(f"torch_xla.sync({keyword})")[0] == known.successor_since
    counted = lifecycle.of("torch_xla.compile")
    assert counted is not None
    assert counted.keywords["num_different_graphs_allowed"].removed == (2, 8)
    assert lifecycle.seen("torch_xla.compile(max_different_graphs)")[0] == (2, 8)


@pytest.mark.parametrize(
    ("name", "removed", "successor"),
    [
        ("torch_xla.core.xla_model.xrt_world_size", (2, 7), "torch_xla.runtime.world_size"),
        ("torch_xla.core.xla_model.CollectiveContext", (2, 1), None),
        ("torch_xla.experimental.pjrt.world_size", (2, 5), "torch_xla.runtime.world_size"),
        ("torch_xla.experimental.pjrt.spawn_threads", (2, 5), None),
        (
            "torch_xla.experimental.xla_sharding.mark_sharding",
            (2, 5),
            "torch_xla.distributed.spmd.mark_sharding",
        ),
        ("torch_xla.distributed.xla_dist.ClusterResolver", (2, 1), None),
        ("torch_xla.amp.GradScaler", (2, 9), None),
    ],
)
def test_what_has_gone(name: str, removed: tuple[int, int], successor: str | None) -> None:
    life = lifecycle.of(name)
    assert life is not None
    assert (life.removed, life.successor) == (removed, successor)


@pytest.mark.parametrize(
    ("function", "keyword", "removed"),
    [
        ("torch_xla.core.xla_model.get_xla_supported_devices", "devkind", (2, 8)),
        ("torch_xla.core.xla_model.all_reduce", "cctx", (2, 1)),
        ("torch_xla.distributed.spmd.mark_sharding", "use_dynamo_custom_op", (2, 5)),
    ],
)
def test_keywords_that_have_gone(function: str, keyword: str, removed: tuple[int, int]) -> None:
    life = lifecycle.of(function)
    assert life is not None and life.removed is None
    assert life.keywords[keyword].removed == removed


@pytest.mark.parametrize(
    "name",
    ["torch_xla", "torch_xla.core.xla_model", "torch_xla.sync", "torch_xla.runtime.world_size", "torch_xla2"],
)
def test_nothing_is_said_of_names_in_good_standing(name: str) -> None:
    assert lifecycle.of(name) is None


def test_nothing_is_said_of_names_that_never_were() -> None:
    assert lifecycle.of("torch_xla.core.xla_model.no_such_name") is None
    assert lifecycle.seen("torch_xla.core.xla_model.no_such_name") == ()
    assert lifecycle.never_was("torch_xla.core.xla_model.no_such_name")


@pytest.mark.parametrize(
    "name",
    [
        "torch_xla.core.xla_model.xrt_world_size",  # gone
        "torch_xla.core.xla_model",
        "torch_xla.core.xla_model._private",
        "torch_xla._XLAC._anything",
        "torch_xla.core.xla_model.RateTracker.no_such_name",
        "torch_xla.no_such_module.no_such_name",
        "torch_xla.set_custom_compile_options",  # of a fork
        "torch.no_such_name",
    ],
)
def test_names_of_which_nobody_knows_that_they_never_were(name: str) -> None:
    assert not lifecycle.never_was(name)


def test_names_of_a_release_are_found_through_re_exports() -> None:
    assert not lifecycle.exists("torch_xla.sync", (2, 3))
    assert lifecycle.exists("torch_xla.sync", (2, 4))
    assert lifecycle.exists("torch_xla.sync(wait)", (2, 5))


XM = "torch_xla.core.xla_model"


@pytest.mark.parametrize(
    ("target", "name", "code", "said"),
    [
        ("2.9", f"{XM}.xrt_world_size", "XLA001", "was removed in torch_xla 2.7"),
        ("2.1..2.9", f"{XM}.xrt_world_size", "XLA001", "the code must run on 2.1..2.9"),
        ("2.1..2.9", f"{XM}.xrt_world_size", "XLA001", "use `torch_xla.runtime.world_size`"),
        ("2.1..2.6", f"{XM}.xrt_world_size", "XLA002", "is deprecated since torch_xla 2.5"),
        ("2.1..2.4", f"{XM}.xrt_world_size", "XLA002", "is replaced by `torch_xla.runtime.world_size`"),
        ("2.9", f"{XM}.xrt_world_size(defval)", "", ""),
        ("2.9", f"{XM}.mark_step", "XLA002", "is deprecated since torch_xla 2.8"),
        ("2.9", f"{XM}.mark_step(wait)", "", ""),
        ("2.4..2.9", f"{XM}.mark_step", "XLA002", "use `torch_xla.sync`"),
        ("2.3..2.9", f"{XM}.mark_step", "", ""),
        ("2.9", f"{XM}.get_xla_supported_devices(devkind)", "XLA001", "the keyword `devkind`"),
        (
            "2.1..2.7",
            f"{XM}.get_xla_supported_devices(devkind)",
            "XLA002",
            "remove it: only one kind of device is left",
        ),
        ("2.1..2.2", f"{XM}.get_xla_supported_devices(devkind)", "", ""),
        ("2.9", f"{XM}.get_xla_supported_devices", "", ""),
        ("2.4..2.9", "torch_xla.experimental.compile", "XLA001", "use `torch_xla.compile` from 2.5 on"),
        ("2.9", "torch_xla.experimental.pjrt", "XLA001", "most functions moved"),
        (
            "2.1..2.4",
            "torch_xla.experimental.pjrt.world_size",
            "XLA002",
            "use `torch_xla.runtime.world_size`",
        ),
        ("2.9", "torch_xla.sync(wait)", "", ""),
        ("2.9", f"{XM}.no_such_name", "", ""),
    ],
)
def test_what_the_rules_say_depends_on_the_target(target: str, name: str, code: str, said: str) -> None:
    findings = [
        finding
        for rule in (RemovedApi, DeprecatedApi)
        for finding in judged(rule, target, name, protected=False)
    ]
    assert [finding.rule.code for finding in findings] == [code] * bool(code)
    assert all(said in f"{finding.message}; {finding.help}" for finding in findings)
    assert all(judged(rule, target, name, protected=True) == [] for rule in (RemovedApi, DeprecatedApi))


def judged(rule: type[Rule[Any]], target: str, name: str, *, protected: bool) -> list[Finding]:
    function, _, keyword = name.rstrip(")").partition("(")
    use = ApiUsed(Site("program.py", 1), name=function, keyword=keyword, protected=protected)
    return list(rule(parse_target(target)).judge(use, View()))


def parse_target(text: str) -> VersionRange:
    return parse_range(text if ".." in text else f"{text}..{text}")


@pytest.fixture(scope="module")
def library() -> dict[str, dict[str, bool]]:
    """What the installed library says of every name in the tables, asked in a process of its own."""
    if find_spec("torch_xla") is None:
        pytest.skip("not run: no torch_xla wheel here")
    if not version("torch_xla").startswith("2.9."):
        pytest.skip(f"not run: torch_xla {version('torch_xla')} is installed, the table ends at 2.9")
    successors = [kept.successor or "" for kept in KEPT.values()]
    questions = {
        "reachable": [name for name in (*gone(), *KEPT, *successors) if name.startswith(OURS)],
        "marked": [name for name in KEPT if _life(name).removed is None],
        "takes": [name for name in gone() if name.endswith(")")],
        "defined": [*lifecycle._modules()],
    }
    questions["reachable"] = [name for name in questions["reachable"] if not name.endswith(")")]
    questions["reachable"] += [*OF_TORCH, *told_to_use()]
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", QUESTIONER],
        input=json.dumps(questions), capture_output=True, text=True, timeout=120,
        env={"PJRT_DEVICE": "CPU", "PATH": ""},
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    result: dict[str, dict[str, bool]] = json.loads(answer.stdout.splitlines()[-1])
    return result


def test_the_installed_library_lacks_what_has_gone(library: dict[str, dict[str, bool]]) -> None:
    absent = [name for name in gone() if not name.endswith(")")]
    absent += [name for name in KEPT if _life(name).removed]
    assert [name for name in absent if library["reachable"][name]] == []


def test_the_installed_library_has_what_has_not_gone(library: dict[str, dict[str, bool]]) -> None:
    present = [name for name in KEPT if _life(name).removed is None]
    present += [
        kept.successor for kept in KEPT.values() if kept.successor and kept.successor.startswith(OURS)
    ]
    assert [name for name in present if not library["reachable"][name]] == []


def test_what_the_installed_library_defines_is_nothing_that_never_was(
    library: dict[str, dict[str, bool]],
) -> None:
    defined = library["defined"]
    assert len(defined) > 500 and [name for name in defined if lifecycle.never_was(name)] == []


def test_the_installed_torch_lacks_what_has_gone_and_has_what_is_to_be_used(
    library: dict[str, dict[str, bool]],
) -> None:
    assert [name for name in OF_TORCH if library["reachable"][name]] == []
    assert [name for name in told_to_use() if not library["reachable"][name]] == []


def test_what_has_gone_from_torch_is_not_what_a_fix_would_rename() -> None:
    assert all(lifecycle.gone_part(f"{name}.more") == (name, since) for name, (since, _) in OF_TORCH.items())
    assert lifecycle.gone_part("torch_xla.core.xla_model.xrt_world_size") is None
    assert lifecycle.gone_part("torch_xla.utils.gcsfs.open") == ("torch_xla.utils.gcsfs", (2, 1))


def told_to_use() -> list[str]:
    """What names of torch are said to be used in the place of those that are gone."""
    return [name for _, note in OF_TORCH.values() for name in re.findall(r"`(torch\.[\w.]+)`", note)]


def test_the_installed_library_marks_what_is_called_deprecated(library: dict[str, dict[str, bool]]) -> None:
    marked = {name for name, answer in library["marked"].items() if answer}
    assert marked == {name for name in library["marked"] if _life(name).deprecated}


def test_the_installed_library_refuses_keywords_that_have_gone(library: dict[str, dict[str, bool]]) -> None:
    # The kernels in Pallas cannot be imported without jax.
    refused = {name: answer for name, answer in library["takes"].items() if ".pallas_kernels." not in name}
    assert refused and [name for name, answer in refused.items() if answer] == []


def _life(name: str) -> Lifecycle:
    life = lifecycle.of(name)
    assert life is not None
    return life


QUESTIONER = """
import importlib, inspect, json, sys
def find(name):
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
def reachable(name):
    try:
        find(name)
    except AttributeError:
        return False
    return True
def marked(name):
    return hasattr(find(name), "__deprecated__")
def takes(name):
    function, _, keyword = name.rstrip(")").partition("(")
    if not reachable(function):
        return False
    parameters = inspect.signature(find(function)).parameters
    named = {name for name, p in parameters.items() if p.kind is not p.VAR_POSITIONAL}
    return keyword in named or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
def public(module):
    try:
        held = vars(importlib.import_module(module))
    except ImportError:
        return []
    ours = [name for name, value in held.items() if "torch_xla" in str(getattr(value, "__module__", ""))]
    return [module + "." + name for name in ours if not name.startswith("_")]
questions = json.load(sys.stdin)
defined = {name: True for module in questions.pop("defined") for name in public(module)}
answers = {question: {name: globals()[question](name) for name in names}
           for question, names in questions.items()}
print(json.dumps({**answers, "defined": defined}))
"""
