# ruff: noqa
# mypy: ignore-errors
"""A flag that the `try` of an import sets is true wherever torch_xla is, as the device is that it asks for."""

import torch

try:
    import torch_xla
    import torch_xla.core.xla_model as xm

    ON_TPU = True
    device = torch_xla.device()
except ImportError:
    ON_TPU = False
    device = torch.device("cpu")

try:
    import apex

    WITH_APEX = True
except ImportError:
    WITH_APEX = False


def save(state, path):
    if ON_TPU:
        xm.save(state, path)
    else:
        torch.save(state, path)


def save_as_ever(state, path):
    if WITH_APEX:
        torch.save([state, apex.amp.state_dict()], path)  # expect: XLA601
    else:
        torch.save(state, path)  # expect: XLA601


def save_anyway(state, path):
    if not ON_TPU:
        return
    torch.save(state, path)  # expect: XLA601


model = torch.nn.Linear(4, 1).to(device)
save(model.state_dict(), "a.pt")
save_as_ever(model.state_dict(), "b.pt")
save_anyway(model.state_dict(), "c.pt")
