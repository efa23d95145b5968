# ruff: noqa
# mypy: ignore-errors
"""NumPy takes no tensor that is on an XLA device: what asks for an array of one raises, and what follows is a note."""

import numpy as np
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()


def by_a_method(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        shown = loss.detach().numpy()  # quiet: it raises, and runs nothing
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def by_a_method_that_is_forced(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        shown = loss.numpy(force=True)  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_a_copy(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        shown = loss.detach().cpu().numpy()  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_what_nobody_knows(batches, predict):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        shown = predict(loss).numpy()  # quiet: what has an array is none of the device
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_a_function(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        shown = np.asarray(loss.detach())
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def of_a_list(batches):
    model = torch.nn.Linear(4, 4).to(device)
    losses = []
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.append(loss.detach())
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely
        print(np.mean(losses))


def of_a_list_of_numbers(batches):
    model = torch.nn.Linear(4, 4).to(device)
    losses = []
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.append(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201
        print(np.mean(losses))


def where_it_is_tried(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        try:
            shown = loss.detach().numpy()
        except TypeError:
            shown = None
        print(loss.item(), shown)  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_a_batch_that_may_be_a_mapping(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in pl.MpDeviceLoader(batches, device):
        shown = batch.numpy()
        loss = model(batch).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()


def not_called(batches):
    model = torch.nn.Linear(4, 4).to(device)
    total = 0.0
    for batch in batches:
        loss = model(batch.to(device)).mean()
        total += loss.item
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def named_in_a_text(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print("the method %s" % loss.item)
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def put_into_a_part_of_an_array(batches):
    model = torch.nn.Linear(4, 4).to(device)
    kept = np.empty((64, 4))
    for i, batch in enumerate(batches):
        out = model(batch.to(device))
        print(out.sum().item())  # expect: XLA102 likely
        kept[i * 8 : i * 8 + 8] = out
        torch_xla.sync()  # expect: XLA201 likely
    return kept


def put_into_it_from_the_host(batches):
    model = torch.nn.Linear(4, 4).to(device)
    kept = np.empty((64, 4))
    for i, batch in enumerate(batches):
        out = model(batch.to(device))
        kept[i * 8 : i * 8 + 8] = out.cpu()  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201
    return kept
