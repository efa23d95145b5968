# ruff: noqa
# mypy: ignore-errors
"""One function in two contexts that differ in one thing: what the first does says nothing of the second."""

import contextlib
import itertools

import torch
import torch_xla
import torch_xla.distributed.xla_multiprocessing  # something starts replicas
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
from torch.nn import DataParallel

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
loader = pl.MpDeviceLoader([], device)
x = torch.randn(4, 4, device=device)


# Values


def shown(value):
    print(value)


def the_argument_differs():
    with torch_xla.step():
        loss = model(x)
        shown(3)
        shown(loss)  # expect: XLA101


def the_captured_variable_differs():
    def show():
        print(loss)

    with torch_xla.step():
        later = model(x)
        loss = 3
        show()
        loss = later
        show()  # expect: XLA101


class Meter:
    def __init__(self):
        self.last = 3

    def show(self):
        print(self.last)


def the_attribute_differs():
    meter = Meter()
    with torch_xla.step():
        loss = model(x)
        meter.last = 3
        meter.show()
        meter.last = loss
        meter.show()  # expect: XLA101


# The engine


def looked_at(value):
    return value.shape


def the_weight_of_what_is_recorded_differs():
    torch_xla.sync()
    kept = []
    for batch in torch.utils.data.DataLoader([]):  # expect: XLA202
        light = x + 1
        looked_at(x)
        kept.append(model(x))
        looked_at(x)


def evaluated():
    loss = model(x)
    print(loss.item())


def the_place_of_what_is_recorded_differs():
    for _ in range(3):
        scores = model(x)
        for _ in range(3):
            evaluated()
            break
        evaluated()  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
        print(scores.shape)


def saved():
    xm.save(model.state_dict(), "model.pt")  # expect: XLA602


def the_parameters_differ(flag):
    optimizer = torch.optim.SGD(model.parameters())
    optimizer.step()
    torch_xla.sync()
    if flag:
        model(x)
        saved()
    else:
        optimizer.step()
        saved()


def shown_by_each(layer):
    for parameter in layer.parameters():
        print(parameter.data)


def what_the_parameters_depend_on_differs(flag):
    layer = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(layer.parameters())
    layer(x).sum().backward()
    if flag:
        optimizer.step()
        optimizer.zero_grad()
        if xm.is_master_ordinal():
            shown_by_each(layer)  # expect: XLA501 likely
    else:
        xm.optimizer_step(optimizer)
        optimizer.zero_grad()
        if xm.is_master_ordinal():
            shown_by_each(layer)  # expect: XLA501


def first_of(batches):
    for batch in itertools.islice(batches, 1):
        break


def the_loaders_next_cut_differs(flag):
    if flag:
        with xp.StepTrace("step"):
            pass
        loss = model(x)
        print(loss.item())
        first_of(loader)
    else:
        torch_xla.sync()
        loss = model(x)
        print(loss.item())  # expect: XLA102
        first_of(loader)


# Scopes and replicas


def the_scope_differs():
    loss = model(x)
    shown(loss)
    with torch_xla.step():
        loss = model(x)
        shown(loss)  # expect: XLA101


def asked(value):
    if value:  # expect: XLA103
        pass


def asked_at_the_end_of_a_step(batch):
    asked(batch + 1)


def a_closure_asks_first():
    torch_xla.sync()
    xm.add_step_closure(asked_at_the_end_of_a_step, (x,))
    torch_xla.sync()
    asked(x + 1)


def marked():
    x * 2
    torch_xla.sync()  # expect: XLA205


class Layer(torch.nn.Module):
    def forward(self, batch):
        marked()
        return batch


def a_forward_marks_last():
    torch_xla.sync()
    marked()
    Layer()(x)


def scaled(scaler, optimizer):
    scaler.step(optimizer)  # expect: XLA703


def a_loop_scales_last(flag):
    optimizer = torch.optim.SGD(model.parameters())
    scaler = torch.amp.GradScaler("xla")
    optimizer.step()
    torch_xla.sync()
    if flag:
        scaled(scaler, optimizer)
    else:
        for _ in range(3):
            scaled(scaler, optimizer)
            torch_xla.sync()  # expect: XLA201


def kept():
    xm.save(model.state_dict(), "model.pt")


def the_replicas_differ():
    optimizer = torch.optim.SGD(model.parameters())
    optimizer.step()
    kept()
    optimizer.step()
    if xm.is_master_ordinal():
        kept()  # expect: XLA501


def trained(loss, optimizer):
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
    xm.optimizer_step(optimizer)


def a_wrapped_model_is_trained_first(flag):
    optimizer = torch.optim.SGD(model.parameters())
    if flag:
        DataParallel(model)
        trained(model(x).sum(), optimizer)
    else:
        trained(model(x).sum(), optimizer)


def met(value):
    if xm.is_master_ordinal():
        xm.rendezvous("one")  # expect: XLA502


def one_process_for_all_devices_meets_first(flag):
    if flag:
        xr.use_spmd()
        met(x)
    else:
        met(x)


# Gradients


def cut_and_stepped(optimizer):
    torch_xla.sync()  # expect: XLA205
    optimizer.step()


def the_gradients_of_all_differ(flag):
    optimizer = torch.optim.SGD(model.parameters())
    if flag:
        model(x)
        cut_and_stepped(optimizer)
    else:
        model(x).sum().backward()
        cut_and_stepped(optimizer)


def cut_and_stepped_at_last(optimizer):
    torch_xla.sync()  # expect: XLA205
    optimizer.step()


def the_gradients_of_one_optimizer_differ(flag):
    optimizer = torch.optim.SGD(model.parameters())
    model(x).sum().backward()
    if flag:
        xm.reduce_gradients(optimizer)
        cut_and_stepped_at_last(optimizer)
    else:
        cut_and_stepped_at_last(optimizer)


# What is owed, and how sure all is


def flushed():
    torch_xla.sync()


def what_is_owed_differs():
    loss = model(x)
    flushed()
    loss = model(x)
    print(loss.item())  # expect: XLA102
    flushed()


def read_and_cut(loss):
    print(loss.item())  # expect: XLA102
    torch_xla.sync()


def an_unknown_callee_had_the_model_first(framework):
    loss = model(x)
    framework(model)
    read_and_cut(loss)
    loss = model(x)
    read_and_cut(loss)


def called_after_a_bound(flag):
    if flag:
        called_after_a_bound(flag)  # expect: XLA092
    loss = model(x)
    read_and_cut_again(loss)
    loss = model(x)


def read_and_cut_again(loss):
    print(loss.item())  # expect: XLA102
    torch_xla.sync()


def called_without_a_bound():
    loss = model(x)
    read_and_cut_again(loss)


def all_of(batches):
    for batch in batches:
        pass


def clipped_and_stepped(optimizer):
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
    xm.optimizer_step(optimizer)


def what_was_computed_before_the_cut_differs(flag):
    optimizer = torch.optim.SGD(model.parameters())
    optimizer.zero_grad()
    if flag:
        model(x)
        all_of(loader)
        clipped_and_stepped(optimizer)
    else:
        model(x).sum().backward()
        all_of(loader)
        clipped_and_stepped(optimizer)


def norm_shown(parameters):
    next(parameters).grad.norm().item()


def what_is_recorded_on_gradients_differs(flag):
    model(x).sum().backward()
    all_of(loader)
    model(x).sum().backward()
    if flag:
        all_of(loader)
        model(x)
        norm_shown(model.parameters())
    else:
        model(x)
        norm_shown(model.parameters())  # expect: XLA102
    torch_xla.sync()


def stored():
    torch.save(model.state_dict(), "weights.pt")  # expect: XLA601


def the_replicas_that_store_differ(flag):
    optimizer = torch.optim.SGD(model.parameters())
    model(x).sum().backward()
    xm.optimizer_step(optimizer)
    if flag:
        stored()
    elif xm.is_master_ordinal():
        stored()  # expect: XLA501


# Managers of contexts, and loops


@contextlib.contextmanager
def timed():
    yield


def shown_once_more(value):
    print(value.item())


def read_within_a_manager_of_ours():
    for x, y in loader:
        with timed():
            loss = (model(x) - y).pow(2).mean()
            loss.backward()
            print(loss.item())  # expect: XLA102


def read_by_a_function_in_a_loop():
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        for _ in range(2):
            shown_once_more(loss)  # expect: XLA102


def read_within_after_a_cut():
    for x, y in loader:
        with torch_xla.step():
            loss = (model(x) - y).pow(2).mean()
            loss.backward()
        with timed():
            print(loss.item())
        for _ in range(2):
            shown_once_more(loss)


def read_by_a_function_now_and_then():
    for number, (x, y) in enumerate(loader):
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        if number % 50 == 0:
            shown_once_more(loss)  # expect: XLA102
