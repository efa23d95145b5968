# ruff: noqa
# mypy: ignore-errors
"""The norm of gradients is a tensor on the device where the model is: elsewhere the project uses XLA, too."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def train_on_the_device(batches, lr):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr)
    for batch in batches:
        optimizer.zero_grad()
        model(batch.to(device)).sum().backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if torch.isfinite(norm):  # expect: XLA103
            optimizer.step()
        torch_xla.sync()  # expect: XLA201


def train_where_torch_xla_steps(model, batches, optimizer):
    for batch in batches:
        optimizer.zero_grad()
        loss = model(**batch)["loss"]
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if torch.isfinite(norm):  # expect: XLA103 likely
            xm.optimizer_step(optimizer)


def train_perhaps_elsewhere(make, batches, optimizer):
    model = make()
    model.train()
    for batch in batches:
        loss = model(**batch)["loss"]
        loss.backward()
        optimizer.log(model)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if torch.isfinite(norm):
            optimizer.step()
