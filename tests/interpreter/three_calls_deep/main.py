# ruff: noqa
# mypy: ignore-errors
"""What happens three calls below the place that makes it a hazard, in two other modules, and the same calls
where they are none."""

import epochs
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()


def reads_in_the_step(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        with torch_xla.step():
            loss = model(batch.to(device)).sum()
            loss.backward()
            epochs.log(loss)  # expect: XLA101
        epochs.log(loss)


def cuts_in_the_step(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        with torch_xla.step():
            model(batch.to(device)).sum().backward()
            epochs.end()  # expect: XLA204
    epochs.end()


def master_meets_nobody():
    if xm.is_master_ordinal():
        epochs.share()  # expect: XLA502
    epochs.share()


def all_meet_in_either_arm():
    if xm.is_master_ordinal():
        epochs.share()
    else:
        epochs.share()


def master_keeps_what_waits(batches):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        model(batch.to(device)).sum().backward()
        xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            epochs.keep(model)  # expect: XLA501
        torch_xla.sync()  # expect: XLA201


def master_keeps_what_has_run(batches):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader(batches, device):
        with torch_xla.step():
            model(batch).sum().backward()
            xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            epochs.keep(model)


def moves_under_its_optimizer(batches):
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    epochs.place(model)  # expect: XLA701
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch.to(device)).sum().backward()
            optimizer.step()


def moves_before_its_optimizer(batches):
    model = torch.nn.Linear(4, 4)
    epochs.place(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch.to(device)).sum().backward()
            optimizer.step()


def indexes_by_the_step(batches):
    table = torch.zeros(64, 4, device=device)
    for number, batch in enumerate(batches):
        with torch_xla.step():
            epochs.row(table, number)
    return table


def indexes_by_a_constant(batches):
    table = torch.zeros(64, 4, device=device)
    for number, batch in enumerate(batches):
        with torch_xla.step():
            epochs.first(table, 0)
    return table


def one_replica(index):
    pass


def starts_replicas():
    torch_xla.launch(one_replica)
