"""Seeds of each replica, before and after weights are drawn, and what gives all replicas the same."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x)


def set_seed(seed):
    torch.manual_seed(seed)


def build():
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())


def fit(model, device):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.ones(8, 4, device=device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


def by_the_index(index):
    torch.manual_seed(7 + index)  # expect: XLA517
    device = torch_xla.device()
    model = Net().to(device)
    torch_xla.sync()
    fit(model, device)


def by_helpers(index, flags):
    set_seed(flags.seed + xr.global_ordinal())  # expect: XLA517
    device = torch_xla.device()
    fit(build().to(device), device)


def may_load(index, flags):
    set_seed(7 + index)  # expect: XLA517
    device = torch_xla.device()
    model = Net()
    if flags.resume:
        model.load_state_dict(torch.load("a.pt", map_location="cpu"))
    fit(model.to(device), device)


def in_each_epoch(index, flags):
    set_seed(7 + index)  # expect: XLA517
    device = torch_xla.device()
    model = Net().to(device)
    for epoch in range(3):
        set_seed(7 + epoch + index)
        fit(model, device)


def one_fold(fold, index):
    set_seed(fold + index)  # expect: XLA517
    device = torch_xla.device()
    model = Net().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in torch.ones(3, 8, 4).to(device):
        optimizer.zero_grad()
        model(batch).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


def fold_by_fold(index):
    for fold in range(5):
        one_fold(fold, index)


def sums_its_loss_for_the_log(index):
    torch.manual_seed(7 + index)  # expect: XLA517
    device = torch_xla.device()
    model = Net().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        loss = model(torch.ones(8, 4, device=device)).sum()
        total = xm.all_reduce("sum", loss)
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        print(total.item())


def built_before(index):
    device = torch_xla.device()
    model = Net().to(device)
    set_seed(7 + index)
    fit(model, device)


def the_same_again(index):
    set_seed(7 + index)
    set_seed(7)
    device = torch_xla.device()
    fit(Net().to(device), device)


def broadcast_to_several(index):
    set_seed(7 + index)
    device = torch_xla.device()
    model = Net().to(device)
    if xr.world_size() > 1:
        xm.broadcast_master_param(model)
    fit(model, device)


def averaged_one_by_one(index):
    set_seed(7 + index)
    device = torch_xla.device()
    model = Net().to(device)
    for parameter in model.parameters():
        parameter.data = xm.all_reduce("sum", parameter.data, scale=1 / xr.world_size())
    fit(model, device)


def loads(index):
    set_seed(7 + index)
    device = torch_xla.device()
    model = Net()
    model.load_state_dict(torch.load("a.pt", map_location="cpu"))
    fit(model.to(device), device)


def is_wrapped(index):
    set_seed(7 + index)
    device = torch_xla.device()
    model = torch.nn.parallel.DistributedDataParallel(Net().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.ones(8, 4, device=device)).sum().backward()
            optimizer.step()


if __name__ == "__main__":
    for function in (by_the_index, fold_by_fold, sums_its_loss_for_the_log, built_before, the_same_again):
        torch_xla.launch(function)  # expect: XLA517 likely
    for function in (broadcast_to_several, averaged_one_by_one, loads, is_wrapped):
        torch_xla.launch(function)
    for function in (by_helpers, may_load, in_each_epoch):
        torch_xla.launch(function, args=(None,))
