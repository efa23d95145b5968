# ruff: noqa
# mypy: ignore-errors
"""What is recorded on values of which some ways, loops or rows hold less; what their use shows of them."""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from absl import flags

from models import get_model

FLAGS = flags.FLAGS
device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
extra = torch.nn.Linear(4, 1).to(device)
loader = pl.MpDeviceLoader([], device)


# A number or a tensor


def losses(batch, weighted):
    other = 0
    if weighted:
        other = extra(batch).mean()
    return {"main": model(batch).mean(), "other": other}


def perhaps_a_number(weighted):
    for batch in loader:
        parts = losses(batch, weighted)
        print(parts["other"].item())  # expect: XLA102 likely


def printed_as_a_number(weighted):
    for batch in loader:
        parts = losses(batch, weighted)
        print(parts["other"])
        if parts["other"] > 3:
            break


def tested_for_a_tensor():
    for batch in loader:
        parts = {"loss": model(batch).sum()}
        if torch.is_tensor(parts):
            loss = parts
        else:
            loss = parts["loss"]
        print(loss.item())  # expect: XLA102


def no_read_on_the_device(tensor):
    if torch.is_tensor(tensor) and tensor.device.type == "xla":
        return tensor.detach()
    return tensor.item()


def left_to_whoever_knows(transform):
    for batch in loader:
        no_read_on_the_device(model(batch).sum())
        no_read_on_the_device(transform(model(batch)))


# Rows of what is known


def light_and_heavy():
    for x, y in loader:
        loss = model(x).mean()
        for value in (loss, y.sum()):
            print(value.item())  # expect: XLA102


def by_name():
    for x, y in loader:
        parts = {"loss": model(x).mean(), "share": y.float().mean()}
        print({name: value.item() for name, value in parts.items()})  # expect: XLA102


def side_by_side():
    for x, y in loader:
        values = [y.float().mean(), model(x).mean()]
        for name, value in zip(["share", "loss"], values):
            print(name, value.item())  # expect: XLA102


def light_alone():
    for x, y in loader:
        loss = model(x).mean()
        for value in (y.float().mean(), y.sum()):
            print(value.item())


# Loops that surely run


def counted():
    for x, y in loader:
        total = 0
        for _ in range(3):
            total = total + F.mse_loss(model(x), y)
        print(float(total))  # expect: XLA102


def chunks():
    for x, y in loader:
        total = 0.0
        for part, target in zip(x.chunk(4), y.chunk(4)):
            total = total + F.mse_loss(model(part), target)
        print(float(total))  # expect: XLA102


def perhaps_not_at_all(count):
    for x, y in loader:
        total = 0.0
        for _ in range(count):
            total = total + F.mse_loss(model(x), y)
        print(float(total))


def not_at_all():
    for x, y in loader:
        total = x.sum()
        for _ in range(0):
            total = total + F.mse_loss(model(x), y)
        print(total.item())


# What an unknown model is used for


def backward_shows_a_forward(args):
    net = get_model(args)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    for x, y in loader:
        loss = F.l1_loss(net(x), y)
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102


def evaluated(net, criterion):
    net.eval()
    with torch.no_grad():
        for x, y in loader:
            output = net(x)
            print(output.argmax(1).eq(y).sum().item())  # expect: XLA102


def nothing_shows_a_forward(transform):
    for x, y in loader:
        output = transform(x)
        print(output.sum().item())


# Settings of a library


def the_other_arm(batch):
    if FLAGS.skip:
        return
    torch_xla.sync()
    model(torch.zeros(4, device=device))
    print("here")  # state: heavy


def no_arm_is_dead():
    torch_xla.sync()
    if FLAGS.path is None:
        model(torch.zeros(4, device=device))
    print("here")  # state: none-heavy


# A loss that only takes numbers out of what a model has returned


def a_loss_of_what_has_run(batches, targets):
    for batch, target in zip(batches, targets):
        output = F.log_softmax(model(batch.to(device)), dim=1)
        torch_xla.sync()
        loss = F.nll_loss(output, target.to(device))
        print(loss.item())


def a_loss_of_what_pends(batches, targets):
    for batch, target in zip(batches, targets):
        output = F.log_softmax(model(batch.to(device)), dim=1)
        loss = F.nll_loss(output, target.to(device))
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
