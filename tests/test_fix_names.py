"""Renames, imports and comments: what `check --fix` makes of programs in tests/fixes, and of texts below.

A program `name.py` becomes `name.fixed.py`; one without is left as it is. `# stays: <reason>` says why the
name on its line is not renamed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fixture_programs import FIXTURES
from xlalint.cli import command
from xlalint.knowledge import lifecycle
from xlalint.versions import LATEST

PROGRAMS = Path(__file__).parent / "fixes"
BOTH = "XLA001,XLA002"


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if not path.name.endswith(".fixed.py"))


def name(path: Path) -> str:
    return path.stem


def after(path: Path) -> Path:
    """What a program becomes."""
    fixed = path.with_name(f"{path.stem}.fixed.py")
    return fixed if fixed.exists() else path


def fix(folder: Path, *arguments: str, select: str = BOTH, unsafe: bool = True) -> str:
    """What is said of the fixes of all files in a folder."""
    options = ["--select", select, "--fix-only", "--show-fixes", *(["--unsafe-fixes"] if unsafe else [])]
    done = CliRunner().invoke(
        command,
        ["check", "--isolated", "--no-cache", "--exit-zero", *options, *arguments, str(folder)],
        catch_exceptions=False,
    )
    assert done.exit_code == 0, done.output
    return done.output


def fixed(text: str, folder: Path, *arguments: str, select: str = BOTH, unsafe: bool = True) -> str:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8", newline="")
    fix(folder, *arguments, select=select, unsafe=unsafe)
    return path.read_bytes().decode()


# Programs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", [*files_in(PROGRAMS / "names"), PROGRAMS / "project"], ids=name)
def test_programs_are_fixed_as_they_should_be(program: Path, tmp_path: Path) -> None:
    sources = files_in(program) if program.is_dir() else [program]
    for source in sources:
        shutil.copy(source, tmp_path)
    told = fix(tmp_path)
    for source in sources:
        assert (tmp_path / source.name).read_text() == after(source).read_text()
    assert sorted(refusals(told)) == sorted(marked(sources))
    assert "Fixed" not in fix(tmp_path)


def refusals(told: str) -> Iterator[tuple[int, str]]:
    for line, reason in re.findall(r"^  .*?:(\d+):\d+: XLA\d+: .*?: (.*)$", told, re.MULTILINE):
        yield int(line), reason


def marked(sources: list[Path]) -> Iterator[tuple[int, str]]:
    for source in sources:
        for number, line in enumerate(after(source).read_text().splitlines(), 1):
            for reason in re.findall(r"# stays: (.*)$", line):
                yield number, reason


WITHOUT_SUCCESSOR = {"loop_of_2019", "norm_of_torch_six"}
"""Programs that take what has no successor: a package of another shape, or a part that torch has lost."""

FIXTURE_PROGRAMS = [
    path
    for code in ("XLA001", "XLA002")
    for path in files_in(FIXTURES / code)
    if path.stem not in WITHOUT_SUCCESSOR
]


@pytest.mark.parametrize("program", FIXTURE_PROGRAMS, ids=name)
def test_fixture_programs_become_their_cures(program: Path, tmp_path: Path) -> None:
    code = program.parent.name
    assert fixed(without_marks(program), tmp_path, select=code) == without_marks(after(program))


def without_marks(path: Path) -> str:
    text = re.sub(r"\A# (?:no )?proof: .*\n", "", path.read_text())
    return re.sub(r"  # (?:expect|quiet)\b.*", "", text)


# Layout -----------------------------------------------------------------------------------------

LAID_OUT = """\
# -*- coding: {encoding} -*-
import torch_xla.core.xla_model as xm

def f():
\txm.mark_step()  # é
\tif f: xm.mark_step(); print("é", xm.xla_device())
\x0c
x = [
    1,\t xm.mark_step, \\
]
"""

LAID_OUT_FIXED = """\
# -*- coding: {encoding} -*-
import torch_xla

def f():
\ttorch_xla.sync()  # é
\tif f: torch_xla.sync(); print("é", torch_xla.device())
\x0c
x = [
    1,\t torch_xla.sync, \\
]
"""


def test_what_torch_xla_is_made_of_keeps_its_names(tmp_path: Path) -> None:
    package = tmp_path / "torch_xla"
    package.mkdir()
    (package / "__init__.py").write_text("from .torch_xla import launch\n")
    launching = "import torch_xla.distributed.xla_multiprocessing as xmp\n\n\n"
    launching += "def launch(fn, args=()):\n    xmp.spawn(fn, args=args)\n"
    (package / "torch_xla.py").write_text(launching)
    (tmp_path / "train.py").write_text(launching)
    assert "this is a part of `torch_xla` itself" in fix(tmp_path)
    assert (package / "torch_xla.py").read_text() == launching
    assert "torch_xla.launch(fn, args=args)" in (tmp_path / "train.py").read_text()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("latin-1", b""), ("cp1252", b"")],
    ids=["utf-8", "byte order mark", "latin-1", "cp1252"],
)
def test_all_else_stays_byte_for_byte(encoding: str, mark: bytes, end: str, tmp_path: Path) -> None:
    def as_bytes(text: str) -> bytes:
        return mark + text.format(encoding=encoding).replace("\n", end).encode(encoding)

    path = tmp_path / "program.py"
    path.write_bytes(as_bytes(LAID_OUT))
    fix(tmp_path)
    assert path.read_bytes() == as_bytes(LAID_OUT_FIXED)


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    text = "import torch_xla.core.xla_model as xm; xm.mark_step()"
    assert fixed(text, tmp_path) == "import torch_xla; torch_xla.sync()"
    text = "def f(): xm.xrt_world_size()\nimport torch_xla.core.xla_model as xm"
    assert fixed(text, tmp_path) == "def f(): xr.world_size()\nimport torch_xla.runtime as xr"


def test_a_file_with_a_syntax_error_is_left_as_it_is(tmp_path: Path) -> None:
    text = "import torch_xla.core.xla_model as xm\nxm.mark_step()\nif\n"
    assert fixed(text, tmp_path) == text


def test_a_package_goes_on_to_export_what_it_imports(tmp_path: Path) -> None:
    text = "import torch_xla.core.xla_model as xm\nxm.mark_step()\n"
    (tmp_path / "__init__.py").write_text(text)
    fix(tmp_path)
    assert (tmp_path / "__init__.py").read_text() == (
        "import torch_xla\nimport torch_xla.core.xla_model as xm\ntorch_xla.sync()\n"
    )


LAUNCHES = """\
import argparse

import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
from devices import report


def train(index):
    print(index, xm.get_ordinal())


parser = argparse.ArgumentParser()
parser.add_argument("--replicas", type=int)
report()
xmp.spawn(train, nprocs=parser.parse_args().replicas)
"""


def test_what_shows_once_a_name_is_right_is_not_held_against_other_names(tmp_path: Path) -> None:
    """The launch is sure to raise once it is that of today: the device above it has started the runtime."""
    (tmp_path / "main.py").write_text(LAUNCHES)
    (tmp_path / "devices.py").write_text("import torch_xla\n\ndef report():\n    print(torch_xla.device())\n")
    saving = tmp_path / "saving.py"
    saving.write_text("import torch_xla.core.xla_model as xm\n\n\ndef finish():\n    xm.mark_step()\n")
    fix(tmp_path, select=f"{BOTH},XLA509")
    assert "torch_xla.launch(" in (tmp_path / "main.py").read_text()
    assert "torch_xla.sync()" in saving.read_text()


# Targets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "call", "becomes"),
    [
        ("2.3..2.9", "xm.mark_step()", None),
        ("2.4..2.9", "xm.mark_step()", "torch_xla.sync()"),
        ("2.4..2.9", "xm.mark_step(wait=True)", None),
        ("2.5..2.9", "xm.mark_step(wait=True)", "torch_xla.sync(wait=True)"),
        ("2.5..2.9", "xm.mark_step(True, False)", None),
        ("2.8..2.9", "xm.mark_step(True, False)", "torch_xla.sync(True, False)"),
        ("2.3..2.9", "xm.xla_device(0)", "torch_xla.device(0)"),
        ("2.3..2.9", "xm.xla_device(devkind='TPU')", None),
        ("2.8..2.9", "xm.xla_device(devkind='TPU')", "torch_xla.device()"),
        ("2.0..2.9", "xm.xrt_world_size()", None),
        ("2.1..2.9", "xm.xrt_world_size(1)", "xr.world_size()"),
        ("2.1..2.9", "xm.get_local_ordinal()", "xr.local_ordinal()"),
        ("2.4..2.9", "xmp.spawn(print)", None),
        ("2.5..2.9", "xmp.spawn(print)", "torch_xla.launch(print)"),
        ("2.4..2.9", "experimental.compile(f)", None),
        ("2.5..2.9", "experimental.compile(f)", "torch_xla.compile(f)"),
        ("2.0..2.4", "pjrt.world_size()", None),
        ("2.1..2.4", "pjrt.world_size()", "xr.world_size()"),
        ("2.1..2.9", "xs.mark_sharding(t, m, s)", None),
    ],
)
def test_a_name_is_written_only_where_the_whole_target_has_it(
    target: str, call: str, becomes: str | None, tmp_path: Path
) -> None:
    imports = (
        "import torch_xla\n"
        "import torch_xla.core.xla_model as xm\n"
        "import torch_xla.distributed.xla_multiprocessing as xmp\n"
        "import torch_xla.experimental.xla_sharding as xs\n"
        "import torch_xla.runtime as xr\n"
        "from torch_xla import experimental\n"
        "from torch_xla.experimental import pjrt\n"
        "print(xm, xmp, xs, xr, experimental, pjrt)\n\n"
    )
    made = fixed(f"{imports}{call}\n", tmp_path, "--target-version", target)
    assert made == f"{imports}{becomes or call}\n"


@pytest.mark.parametrize(
    ("above", "below"),
    [
        # As isort has them by default: above all that go below it.
        ("import torch\n", "import torch_xla.core.xla_model as xm\nimport torch_xla.runtime as xr\n"),
        (
            "import os\n\nimport torch\n",
            "from lightning import Trainer\nfrom torch_xla.core import xla_model as xm\n",
        ),
        # By the names alone, apart from others, or in no order: next to what it is taken from.
        ("import torch\nfrom torch import nn\n", "import torch_xla.core.xla_model as xm\n"),
        ("import yaml\n\n", "import torch_xla.core.xla_model as xm\n"),
        ("import torch_xla.runtime as xr\nimport os\n", "import torch_xla.core.xla_model as xm\n"),
    ],
)
def test_an_import_comes_where_those_around_are_in_order(above: str, below: str, tmp_path: Path) -> None:
    made = fixed(f"{above}{below}xm.mark_step()\nprint(xm)\n", tmp_path)
    assert made == f"{above}import torch_xla\n{below}torch_xla.sync()\nprint(xm)\n"


def test_a_module_that_moved_keeps_the_name_that_the_file_gave_it(tmp_path: Path) -> None:
    text = "import torch_xla.experimental.xla_sharding as xs\nxs.mark_sharding(t, xs.Mesh([0], (1,)), (0,))\n"
    moved = text.replace("experimental.xla_sharding", "distributed.spmd")
    assert fixed(text, tmp_path, "--target-version", "2.2..2.9") == moved
    assert fixed(text, tmp_path, "--target-version", "2.1..2.9") == text


def test_a_module_stays_as_long_as_something_in_it_has_no_successor(tmp_path: Path) -> None:
    text = "from torch_xla.experimental import pjrt\nprint(pjrt.world_size(), pjrt.using_pjrt())\n"
    made = "from torch_xla import runtime as xr\nfrom torch_xla.experimental import pjrt\n"
    assert fixed(text, tmp_path) == made + "print(xr.world_size(), pjrt.using_pjrt())\n"


@pytest.mark.parametrize(
    "member",
    [
        "addressable_device_count", "device_type", "global_device_count", "global_ordinal",
        "local_device_count", "local_ordinal", "local_process_count", "process_count", "process_index",
        "set_device_type", "world_size",
    ],
)  # fmt: skip
def test_what_was_the_experimental_runtime_is_the_runtime(member: str) -> None:
    life = lifecycle.of(f"torch_xla.experimental.pjrt.{member}")
    assert life is not None and life.exact
    assert (life.successor, life.successor_since) == (f"torch_xla.runtime.{member}", (2, 1))
    assert lifecycle.exists(f"torch_xla.runtime.{member}", LATEST)


def test_a_launcher_changes_only_if_that_is_wanted(tmp_path: Path) -> None:
    text = "import torch_xla.distributed.xla_multiprocessing as xmp\nxmp.spawn(print, nprocs=8)\n"
    assert fixed(text, tmp_path, unsafe=False) == text
    assert fixed(text, tmp_path) == "import torch_xla\ntorch_xla.launch(print)\n"


# Keywords ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "becomes"),
    [
        (
            "torch_xla.compile(f, num_different_graphs_allowed = 2,)",
            "torch_xla.compile(f, max_different_graphs = 2,)",
        ),
        ("xm.get_xla_supported_devices(devkind='TPU')", "xm.get_xla_supported_devices()"),
        (
            "xm.get_xla_supported_devices(devkind='TPU', max_devices=2)",
            "xm.get_xla_supported_devices(max_devices=2)",
        ),
        ("xm.all_reduce('sum', t, cctx=None, pin_layout=True)", "xm.all_reduce('sum', t, pin_layout=True)"),
        ("xm.all_reduce('sum', t, pin_layout=True, cctx=None)", "xm.all_reduce('sum', t, pin_layout=True)"),
    ],
)  # fmt: skip
def test_keywords_change_with_their_functions(call: str, becomes: str, tmp_path: Path) -> None:
    imports = "import torch_xla\nimport torch_xla.core.xla_model as xm\n\n"
    assert fixed(f"{imports}{call}\n", tmp_path, "--ignore", "XLA002") == f"{imports}{becomes}\n"


# Comments ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("x = 1  # xlalint: ignore[XLA101]", "x = 1"),
        ("x = 1  # xlalint: ignore[XLA101] for a reason", "x = 1"),
        ("x = 1  # xlalint: ignore", "x = 1"),
        ("x = 1  # xlalint: ignore[XLA101]  # type: int", "x = 1  # type: int"),
        ("x = 1  # type: int  # xlalint: ignore[XLA101]", "x = 1  # type: int"),
        ("x = 1  # noqa: XLA101", "x = 1"),
        ("x = 1  # noqa: E501, XLA101", "x = 1  # noqa: E501"),
        ("x = 1  # noqa: XLA101, E501", "x = 1  # noqa: E501"),
        ("x = 1  # noqa: E501,XLA101,XLA102,F401", "x = 1  # noqa: E501,F401"),
        ("# xlalint: ignore-file[XLA101]\nx = 1", "x = 1"),
        ("x = 1  # xlalint: ignore[XLA999]", "x = 1  # xlalint: ignore[XLA999]"),
        ("x = 1  # xlalint: ignore[XLA101, XLA999]", "x = 1  # xlalint: ignore[XLA999]"),
        ("x = 1  # xlalint: ignore XLA101", "x = 1  # xlalint: ignore XLA101"),
        ("x = 1  # xlalint: ignore[XLA101", "x = 1  # xlalint: ignore[XLA101"),
        ("x = '# noqa: XLA101'  # noqa", "x = '# noqa: XLA101'  # noqa"),
    ],
)
def test_comments_that_silence_nothing_go(line: str, becomes: str, tmp_path: Path) -> None:
    text = f"import torch_xla\n\n{line}\ny = 2\n"
    made = fixed(text, tmp_path, select="XLA090,XLA101,XLA102", unsafe=False)
    assert made == f"import torch_xla\n\n{becomes}\ny = 2\n"


# Names of other packages ------------------------------------------------------------------------

TRAINING = """\
import math

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 1).to(device)
"""


def test_the_device_computes_what_python_did(tmp_path: Path) -> None:
    text = f"{TRAINING}loss = model(torch.ones(4, 8).to(device)).sum()\nprint(math.sqrt(loss))\n"
    made = fixed(text, tmp_path, select="XLA103")
    assert made == text.replace("import math\n\n", "").replace("math.sqrt", "torch.sqrt")
    text = text.replace("math.sqrt(loss)", "math.log(loss, 2)")
    assert fixed(text, tmp_path, select="XLA103") == text


def test_a_save_imports_what_saves(tmp_path: Path) -> None:
    text = f"{TRAINING}print(math.pi)\ntorch.save(model.state_dict(), 'model.pt')\n"
    made = fixed(text, tmp_path, select="XLA601")
    assert "import torch_xla\nimport torch_xla.core.xla_model as xm\n" in made
    assert made.endswith("\nxm.save(model.state_dict(), 'model.pt')\n")
