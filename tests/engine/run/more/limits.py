"""Tests of a user, with limits on what they may cost."""

import pytest
import torch
import torch_xla


def steps(reads):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    for _ in range(3):
        with torch_xla.step():
            loss = model(torch.ones(4, 8, device=device)).mean()
            if reads:
                loss.item()


@pytest.mark.xlalint(reads=0, launches=3)
def test_within_its_limits():
    steps(reads=False)


@pytest.mark.xlalint(reads=0)
def test_beyond_its_limits():
    steps(reads=True)


def test_with_the_fixture(xla_guard):
    steps(reads=False)
    assert not xla_guard.diagnostics
    assert xla_guard.run.launches == 3
