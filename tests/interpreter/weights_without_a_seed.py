# ruff: noqa
# mypy: ignore-errors
"""Where replicas are launched, each draws its own weights, unless a seed is given there or weights come from elsewhere."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
from transformers import AutoModelForSequenceClassification, BertForSequenceClassification, set_seed


def fit(model, batches, device):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in pl.MpDeviceLoader(batches, device):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        xm.optimizer_step(optimizer)


def tune(model, batches, device):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in pl.MpDeviceLoader(batches, device):
        optimizer.zero_grad()
        model(x).logits.square().mean().backward()
        xm.optimizer_step(optimizer)


def make():
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))


def without_a_seed(index, batches):
    device = torch_xla.device()
    fit(make().to(device), batches, device)


def seed_of_the_device(index, batches):
    torch_xla.manual_seed(1)
    device = torch_xla.device()
    fit(make().to(device), batches, device)


def seeded_too_late(index, batches):
    device = torch_xla.device()
    model = make().to(device)
    torch.manual_seed(1)
    fit(model, batches, device)


def given(index, model, batches):
    device = torch_xla.device()
    fit(model.to(device), batches, device)


def seeded(index, batches):
    torch.manual_seed(1)
    device = torch_xla.device()
    fit(make().to(device), batches, device)


def seed_everything(seed):
    torch.manual_seed(seed)


def seeded_by_a_helper(index, batches):
    seed_everything(3)
    device = torch_xla.device()
    fit(make().to(device), batches, device)


def seeded_by_a_library(index, batches):
    set_seed(3)
    device = torch_xla.device()
    fit(make().to(device), batches, device)


def broadcast(index, batches):
    device = torch_xla.device()
    model = make().to(device)
    xm.broadcast_master_param(model)
    fit(model, batches, device)


def loaded(index, batches):
    device = torch_xla.device()
    model = make()
    model.load_state_dict(torch.load("model.pt"))
    fit(model.to(device), batches, device)


def seeded_perhaps(index, batches, seed=None):
    if seed is not None:
        torch.manual_seed(seed)
    device = torch_xla.device()
    fit(make().to(device), batches, device)


def of_a_library(index, batches):
    device = torch_xla.device()
    tune(AutoModelForSequenceClassification.from_pretrained("tiny").to(device), batches, device)


def of_a_family(index, batches):
    device = torch_xla.device()
    tune(BertForSequenceClassification.from_pretrained("tiny").to(device), batches, device)


class Trainer:
    def __init__(self, batches):
        self.batches = batches

    def run(self, index):
        self.device = torch_xla.device()
        self.model = make().to(self.device)
        fit(self.model, self.batches, self.device)

    def start(self):
        torch_xla.launch(self.run)  # expect: XLA517 likely


def main(batches, seed):
    torch.manual_seed(0)  # of this process alone
    torch_xla.launch(without_a_seed, args=(batches,))  # expect: XLA517 likely
    torch_xla.launch(seed_of_the_device, args=(batches,))  # expect: XLA517 likely
    torch_xla.launch(seeded_too_late, args=(batches,))  # expect: XLA517 likely
    torch_xla.launch(given, args=(make(), batches))
    torch_xla.launch(seeded, args=(batches,))
    torch_xla.launch(seeded_by_a_helper, args=(batches,))
    torch_xla.launch(seeded_by_a_library, args=(batches,))
    torch_xla.launch(broadcast, args=(batches,))
    torch_xla.launch(loaded, args=(batches,))
    torch_xla.launch(of_a_library, args=(batches,))
    torch_xla.launch(of_a_family, args=(batches,))
    torch_xla.launch(seeded_perhaps, args=(batches, seed))
    torch_xla.launch(without_a_seed, args=(batches,), start_method="fork")
    xmp.spawn(without_a_seed, args=(batches,), nprocs=1)  # expect: XLA002
    Trainer(batches).start()


if __name__ == "__main__":
    main([torch.ones(2, 4)], 3)
