# ruff: noqa
# mypy: ignore-errors
"""Settings in a mapping of the program: what chooses XLA is on where XLA is used, whatever stands there now."""

from contextlib import nullcontext

import torch
import torch_xla
import torch_xla.core.xla_model as xm

SETTINGS = {"USE_TPU": False, "half": False, "rate": 0.1}


def precision(use_tpu):
    if use_tpu:
        return nullcontext()
    return torch.autocast(device_type="cuda", dtype=torch.float16)


def train(device, around):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=SETTINGS["rate"])
    for _ in range(10):
        with around:  # expect: XLA705
            loss = model(torch.ones(8, 4, device=device)).sum()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def of_the_switch(index):
    train(torch_xla.device(), precision(SETTINGS["USE_TPU"]))


def of_another(index):
    train(torch_xla.device(), precision(SETTINGS["half"]))


if SETTINGS["USE_TPU"]:
    torch_xla.launch(of_the_switch)  # expect: XLA517 likely
if not SETTINGS["half"]:
    torch_xla.launch(of_another)  # expect: XLA517 likely
