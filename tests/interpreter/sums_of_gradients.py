# ruff: noqa
# mypy: ignore-errors
"""Gradients are summed by hand: as a list of those of the parameters, or one by one."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def by_a_list(index):
    model = torch.nn.Linear(8, 8).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        model(torch.ones(8, device=torch_xla.device())).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508
        xm.all_reduce("sum", [p.grad for p in model.parameters() if p.grad is not None])
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def one_by_one(index):
    model = torch.nn.Linear(8, 8).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        model(torch.ones(8, device=torch_xla.device())).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508
        for p in model.parameters():
            if isinstance(p.grad, torch.Tensor):
                p.grad = xm.all_reduce(xm.REDUCE_SUM, p.grad)
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def the_sum_is_clipped(index):
    model = torch.nn.Linear(8, 8).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        model(torch.ones(8, device=torch_xla.device())).sum().backward()
        xm.all_reduce("sum", xm._fetch_gradients(optimizer))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def losses_are_summed(index):
    model = torch.nn.Linear(8, 8).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        loss = model(torch.ones(8, device=torch_xla.device())).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        xm.all_reduce("sum", [loss])
        xm.all_gather(model.weight.grad)  # expect: XLA516
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


if __name__ == "__main__":
    torch_xla.launch(by_a_list)
    torch_xla.launch(one_by_one)
    torch_xla.launch(the_sum_is_clipped)
    torch_xla.launch(losses_are_summed)
