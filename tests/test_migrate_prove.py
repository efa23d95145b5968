"""`xlalint migrate --prove` runs a program before and after, and compares; no engine is needed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from xlalint import numbers
from xlalint.cli import proof
from xlalint.cli.command import command
from xlalint.runs import Run

OLD = "import torch_xla.core.xla_model as xm\n\ndevice = xm.xla_device()\n"
NEW = "import torch_xla\n\ndevice = torch_xla.device()\n"
LAUNCHES = {OLD: 12, NEW: 6}


class Engine:
    """Stands in the place of what runs programs: two launches a step less once the program is changed."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self.asked: list[dict[str, Any]] = []
        self.losses: dict[str, tuple[float, ...]] = {OLD: (1.5, 0.25), NEW: (1.5, 0.25)}
        self.status = {OLD: 0, NEW: 0}

    def __call__(self, **asked: Any) -> Any:
        self.asked.append(asked)
        text = self._program.read_text()
        values = (0.5, float("nan"))
        numbers.write(Path(asked["numbers"]), numbers.Numbers(self.losses[text], ((2,),), values))
        run = Run("train.py", "CPU", steps=6, launches=LAUNCHES[text], launches_per_step=2.0, end="ended")
        return SimpleNamespace(run=run, status=self.status[text], signal=0, stacks="", unwritten=False)


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(OLD)
    (tmp_path / "xlalint.toml").write_text('target-version = "2.9"\n')
    stand_in = Engine(tmp_path / "train.py")
    monkeypatch.setattr(proof, "from_guard", lambda *_: stand_in)
    return stand_in


def migrated(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["migrate", "--allow-dirty", *(arguments or ["--prove", "train.py"])])


def test_both_are_put_side_by_side(engine: Engine) -> None:
    result = migrated("--prove", "train.py", "--stop-after", "4")
    assert result.exit_code == 0, result.output
    assert Path("train.py").read_text() == NEW
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["launches", "12", "6"] in rows
    assert "losses: 2, equal bit for bit" in result.stdout
    assert "elements of trained parameters: 2, equal bit for bit" in result.stdout
    assert [each["stop_after"] for each in engine.asked] == [4, 4]


@pytest.mark.parametrize(
    ("losses", "said", "code"),
    [
        ((1.5, 0.25000001), "losses: 2, largest relative difference 1.0e-08", 0),
        ((1.5, 0.5), "losses: 2, largest relative difference 2.5e-01", 1),
        ((1.5,), "losses: 2 before, 1 after: they cannot be compared", 1),
        ((1.5, float("nan")), "losses: 2, largest relative difference inf", 1),
    ],
)
def test_what_differs_is_told(engine: Engine, losses: tuple[float, ...], said: str, code: int) -> None:
    engine.losses[NEW] = losses
    result = migrated()
    assert result.exit_code == code, result.output
    assert said in result.stdout
    assert Path("train.py").read_text() == NEW


def test_a_program_that_fails_before_is_not_changed(engine: Engine) -> None:
    engine.status[OLD] = 3
    result = migrated()
    assert result.exit_code == 2
    assert "Error: train.py fails before the changes (ended), so nothing can be compared" in result.stderr
    assert Path("train.py").read_text() == OLD


def test_a_program_that_fails_after_is_told(engine: Engine) -> None:
    engine.status[NEW] = 3
    result = migrated()
    assert result.exit_code == 2
    assert "fails after the changes" in result.stderr


def test_where_nothing_changes_nothing_runs_again(engine: Engine) -> None:
    Path("train.py").write_text(NEW)
    result = migrated()
    assert "nothing was changed" in result.stdout
    assert len(engine.asked) == 1


@pytest.mark.parametrize(
    "arguments", [("--prove", "train.py", "--diff"), ("--stop-after", "3"), ("--prove", "no.py")]
)
def test_wrong_usage_runs_nothing(engine: Engine, arguments: tuple[str, ...]) -> None:
    assert migrated(*arguments).exit_code == 2
    assert not engine.asked
    assert Path("train.py").read_text() == OLD


@pytest.mark.parametrize("data", [b"", b"{}", b'{"losses": [], "shapes": []}\n123', b"\0"])
def test_a_file_that_is_cut_short_is_no_proof(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "numbers").write_bytes(data)
    with pytest.raises(numbers.NoNumbers):
        numbers.read(tmp_path / "numbers")
