# ruff: noqa
# mypy: ignore-errors
"""A loader of torch cuts nothing, whatever passes its batches on."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch.utils.data import DataLoader

model = torch.nn.Linear(4, 4).to(torch_xla.device())
optimizer = torch.optim.SGD(model.parameters())


def a_loop_that_steps():
    loader = DataLoader([torch.ones(4)])
    for batch in loader:  # expect: XLA202
        pass
        loss = model(batch.to(torch_xla.device())).sum()
        loss.backward()
        optimizer.step()


def a_loop_that_infers():
    loader = DataLoader([torch.ones(4)])
    scores = []
    for batch in loader:  # expect: XLA202
        pass
        scores.append(model(batch.to(torch_xla.device())).sum())
    return scores


def a_read_above_the_marker():
    loader = DataLoader([torch.ones(4)])
    for batch in loader:
        pass
        loss = model(batch.to(torch_xla.device())).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def an_exit_above_the_marker():
    loader = DataLoader([torch.ones(4)])
    for batch in loader:
        pass
        loss = model(batch.to(torch_xla.device())).sum()
        loss.backward()
        optimizer.step()
        if done():
            break  # expect: XLA203
        torch_xla.sync()  # expect: XLA201
    model(torch.ones(4, 4, device=torch_xla.device()))


def a_step_for_each_batch():
    loader = DataLoader([torch.ones(4)])
    for batch in loader:
        pass
        with torch_xla.step():
            loss = model(batch.to(torch_xla.device())).sum()
            loss.backward()
            optimizer.step()
