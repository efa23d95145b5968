"""What is so for some releases of torch_xla only is told where the code must run on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlalint.checker import check
from xlalint.registry import find
from xlalint.settings import SettingsFinder
from xlalint.versions import parse_range

PROGRAM = Path(__file__).parent / "targets" / "scalers_of_torch_xla.py"


@pytest.mark.parametrize(
    ("target", "helps"),
    [
        ("2.5..2.8", "use a syncfree optimizer of `torch_xla.amp.syncfree`, which this scaler steps"),
        ("2.9", "use a syncfree optimizer and pass it `found_inf=`"),
    ],
)
def test_torch_xlas_own_scaler_steps_syncfree_optimizers_without_a_read(target: str, helps: str) -> None:
    """It was gone in 2.9, whose scalers all read; XLA704, which was to say so, is a name of XLA703."""
    finder = SettingsFinder(
        isolated=True, given={"select": ("XLA704",), "target_version": parse_range(target)}
    )
    found = check([PROGRAM], finder, project=PROGRAM.parent).diagnostics
    assert [one.code for one in found] == ["XLA703"]
    assert helps in (found[0].help or "")
    assert find("non-syncfree-optimizer").code == "XLA703"
