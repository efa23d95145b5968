# ruff: noqa
# mypy: ignore-errors
"""A loader of torch_xla cuts before each batch, whatever passes its batches on."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader

model = torch.nn.Linear(4, 4).to(torch_xla.device())
optimizer = torch.optim.SGD(model.parameters())


def a_loop_that_steps():
    loader = pl.MpDeviceLoader(DataLoader([torch.ones(4)]), torch_xla.device())
    for batch in loader:
        pass
        loss = model(batch.to(torch_xla.device())).sum()
        loss.backward()
        optimizer.step()


def a_loop_that_infers():
    loader = pl.MpDeviceLoader(DataLoader([torch.ones(4)]), torch_xla.device())
    scores = []
    for batch in loader:
        pass
        scores.append(model(batch.to(torch_xla.device())).sum())
    return scores


def a_read_above_the_next_batch():
    loader = pl.MpDeviceLoader(DataLoader([torch.ones(4)]), torch_xla.device())
    for batch in loader:
        pass
        loss = model(batch.to(torch_xla.device())).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102


def an_exit_before_the_next_batch():
    loader = pl.MpDeviceLoader(DataLoader([torch.ones(4)]), torch_xla.device())
    for batch in loader:
        pass
        loss = model(batch.to(torch_xla.device())).sum()
        loss.backward()
        optimizer.step()
        if done():
            break  # expect: XLA203
    model(torch.ones(4, 4, device=torch_xla.device()))


def a_step_for_each_batch():
    loader = pl.MpDeviceLoader(DataLoader([torch.ones(4)]), torch_xla.device())
    for batch in loader:
        pass
        with torch_xla.step():
            loss = model(batch.to(torch_xla.device())).sum()
            loss.backward()
            optimizer.step()
