# ruff: noqa
# mypy: ignore-errors
"""What a wrapper for several replicas, or `torch.compile`, holds is the model, unless a class has such an attribute."""

import torch
import torch_xla
from torch.nn.parallel import DistributedDataParallel


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


class Holder(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.layer, self.module = torch.nn.Linear(4, 4), module

    def forward(self, x):
        return self.layer(x)


def in_any_case():
    model = DistributedDataParallel(Model().to(torch_xla.device()))
    torch.save(model.module.state_dict(), "model.pt")  # expect: XLA601


def where_there_are_several(several):
    model = Model().to(torch_xla.device())
    if several:
        model = DistributedDataParallel(model)
    state = model.module.state_dict() if several else model.state_dict()
    torch.save(state, "model.pt")  # expect: XLA601


def where_there_is_one():
    model = Model().to(torch_xla.device())
    inner = getattr(model, "module", model)
    torch.save({"model": inner.state_dict()}, "model.pt")  # expect: XLA601


def compiled():
    model = torch.compile(Model().to(torch_xla.device()), backend="openxla")
    torch.save(model._orig_mod.state_dict(), "model.pt")  # expect: XLA601


def of_a_class_of_its_own(host):
    holder = Holder(host)
    print(holder.layer(torch.ones(4)))
    torch.save(holder.module.state_dict(), "model.pt")


in_any_case()
where_there_are_several(torch.ones(1).sum() > 0)
where_there_is_one()
compiled()
of_a_class_of_its_own(Model())
