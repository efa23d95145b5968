import torch
import torch_xla
import torch_xla.core.xla_model as xm


def log(loss):
    show(loss)


def show(loss):
    print(loss.item())


def end():
    mark()


def mark():
    torch_xla.sync()


def share():
    wait()


def wait():
    xm.rendezvous("epoch")


def keep(model):
    write(model)


def write(model):
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601


def place(model):
    move(model)


def move(model):
    model.to("xla")


def row(table, number):
    return take(table, number)


def take(table, number):
    return table[number]  # expect: XLA402


def first(table, number):
    return take_first(table, number)


def take_first(table, number):
    return table[number]
