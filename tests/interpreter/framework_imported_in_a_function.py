# ruff: noqa
# mypy: ignore-errors
"""A function that imports a framework by itself is one that uses XLA, though it names nothing else of it."""

import torch
import torch_xla


def save(path):
    from accelerate import Accelerator

    accelerator = Accelerator()
    model = accelerator.prepare(torch.nn.Linear(4, 4))
    torch.save(accelerator.unwrap_model(model).state_dict(), path)  # expect: XLA601


def save_by_its_module(path):
    import accelerate

    accelerator = accelerate.Accelerator()
    model = accelerator.prepare(torch.nn.Linear(4, 4))
    torch.save(accelerator.unwrap_model(model).state_dict(), path)  # expect: XLA601


def save_what_another_package_calls_so(path):
    from somewhere import Accelerator

    model = Accelerator().prepare(torch.nn.Linear(4, 4))
    torch.save(model.state_dict(), path)


save("model.pt")
save_by_its_module("model.pt")
save_what_another_package_calls_so("model.pt")
print(torch_xla.device())
