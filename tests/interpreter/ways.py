# ruff: noqa
# mypy: ignore-errors
"""Where two ways through a function meet: what holds after both, and what only after one."""

import contextlib

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
from torch.nn.parallel import DistributedDataParallel

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
loader = pl.MpDeviceLoader([], device)
x = torch.randn(4, 4, device=device)


# The engine


def parameters_depend_on_a_collective_on_the_first_way(flag):
    layer = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(layer.parameters())
    layer(x).sum().backward()
    if flag:
        xm.optimizer_step(optimizer)
    else:
        optimizer.step()
    if xm.is_master_ordinal():
        for parameter in layer.parameters():
            print(parameter.data)  # expect: XLA501 likely


def parameters_depend_on_a_collective_on_the_second_way(flag):
    layer = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(layer.parameters())
    layer(x).sum().backward()
    if flag:
        optimizer.step()
    else:
        xm.optimizer_step(optimizer)
    if xm.is_master_ordinal():
        for parameter in layer.parameters():
            print(parameter.data)  # expect: XLA501 likely


def parameters_depend_on_a_collective_on_both_ways(flag):
    layer = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(layer.parameters())
    layer(x).sum().backward()
    if flag:
        xm.reduce_gradients(optimizer)
        optimizer.step()
    else:
        xm.optimizer_step(optimizer)
    if xm.is_master_ordinal():
        for parameter in layer.parameters():
            print(parameter.data)  # expect: XLA501


def a_step_trace_on_the_first_way_swallows_the_loaders_cut(flag):
    for batch in loader:
        loss = model(batch)  # state: none-heavy
        if flag:
            with xp.StepTrace("step"):
                pass
        loss = model(batch)


def a_step_trace_on_the_second_way_swallows_the_loaders_cut(flag):
    for batch in loader:
        loss = model(batch)  # state: none-heavy
        if not flag:
            pass
        else:
            with xp.StepTrace("step"):
                pass
        loss = model(batch)


# Scopes and replicas


def a_scope_opened_on_the_first_way_only(flag):
    with contextlib.ExitStack() as stack:
        if flag:
            stack.enter_context(torch_xla.step())
        print(model(x))


def a_scope_opened_on_the_second_way_only(flag):
    with contextlib.ExitStack() as stack:
        if flag:
            pass
        else:
            stack.enter_context(torch_xla.step())
        print(model(x))


def a_scope_opened_on_both_ways_is_of_neither(flag):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch_xla.step())
        if flag:
            stack.enter_context(torch_xla.step())  # expect: XLA204
        print(model(x))  # expect: XLA101


def the_master_alone_goes_on_the_first_way(flag):
    loss = model(x)
    if flag:
        if not xm.is_master_ordinal():
            return
    print(loss)


def the_master_alone_goes_on_the_second_way(flag):
    loss = model(x)
    if flag:
        pass
    else:
        if not xm.is_master_ordinal():
            return
    print(loss)


def the_master_alone_goes_on_by_one_test(flag):
    loss = model(x)
    if not xm.is_master_ordinal():
        return
    if flag:
        x.shape
    print(loss)  # expect: XLA501 likely


def wrapped_on_the_first_way(flag):
    layer = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(layer.parameters())
    if flag:
        layer = DistributedDataParallel(layer)
    layer(x).sum().backward()
    torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)  # expect: XLA508 likely
    xm.optimizer_step(optimizer)


def wrapped_on_the_second_way(flag):
    layer = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(layer.parameters())
    if flag:
        pass
    else:
        layer = DistributedDataParallel(layer)
    layer(x).sum().backward()
    torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)  # expect: XLA508 likely
    xm.optimizer_step(optimizer)


def wrapped_on_both_ways(flag):
    layer = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(layer.parameters())
    if flag:
        layer = DistributedDataParallel(layer)
    else:
        layer = DistributedDataParallel(layer, gradient_as_bucket_view=True)
    layer(x).sum().backward()
    torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    xm.optimizer_step(optimizer)  # expect: XLA507


def one_process_for_all_devices_on_the_first_way(flag):
    if flag:
        xr.use_spmd()
    if xm.is_master_ordinal():
        xm.rendezvous("one")  # expect: XLA502


def one_process_for_all_devices_on_the_second_way(flag):
    if flag:
        pass
    else:
        xr.use_spmd()
    if xm.is_master_ordinal():
        xm.rendezvous("one")  # expect: XLA502


def one_process_for_all_devices_on_both_ways(flag):
    if flag:
        xr.use_spmd()
    else:
        xr.use_spmd(auto=True)
    if xm.is_master_ordinal():
        xm.rendezvous("one")


def met_on_the_first_way_of_an_arm(flag):
    if xm.is_master_ordinal():
        if flag:
            xm.rendezvous("one")  # expect: XLA502


def met_on_the_second_way_of_an_arm(flag):
    if xm.is_master_ordinal():
        if flag:
            pass
        else:
            xm.rendezvous("one")  # expect: XLA502


# Gradients


def dropped_on_the_first_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    model(x).sum().backward()
    if flag:
        model.zero_grad()
    torch_xla.sync()
    optimizer.step()


def dropped_on_the_second_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    model(x).sum().backward()
    if flag:
        pass
    else:
        model.zero_grad()
    torch_xla.sync()
    optimizer.step()


def dropped_on_neither_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    model(x).sum().backward()
    if flag:
        x.shape
    torch_xla.sync()  # expect: XLA205
    optimizer.step()


def reduced_on_the_first_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    model(x).sum().backward()
    if flag:
        xm.reduce_gradients(optimizer)
    torch_xla.sync()
    optimizer.step()


def reduced_on_the_second_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    model(x).sum().backward()
    if flag:
        pass
    else:
        xm.reduce_gradients(optimizer)
    torch_xla.sync()
    optimizer.step()


# What a loop did


def a_loop_may_be_cut_on_the_first_way(flag, barrier):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):
        if flag:
            xm.optimizer_step(optimizer, barrier=barrier)
        else:
            optimizer.step()
        model(x).sum().backward()
        optimizer.step()  # expect: XLA515


def a_loop_may_be_cut_on_the_second_way(flag, barrier):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):
        if flag:
            optimizer.step()
        else:
            xm.optimizer_step(optimizer, barrier=barrier)
        model(x).sum().backward()
        optimizer.step()  # expect: XLA515


def a_loop_reads_on_the_first_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):  # expect: XLA202
        loss = model(x).sum()
        loss.backward()
        xm.optimizer_step(optimizer)
        if flag:
            print(loss)


def a_loop_reads_on_the_second_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):  # expect: XLA202
        loss = model(x).sum()
        loss.backward()
        xm.optimizer_step(optimizer)
        if flag:
            pass
        else:
            print(loss)


def a_loop_is_cut_on_neither_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):  # expect: XLA202
        if flag:
            x.shape
        model(x).sum().backward()
        xm.optimizer_step(optimizer)


def a_loop_is_cut_by_a_barrier_on_the_first_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):
        model(x).sum().backward()
        if flag:
            xm.optimizer_step(optimizer, barrier=True)
        else:
            optimizer.step()
            torch_xla.sync()


def a_loop_is_cut_by_a_barrier_on_the_second_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):
        model(x).sum().backward()
        if flag:
            optimizer.step()
            torch_xla.sync()
        else:
            xm.optimizer_step(optimizer, barrier=True)


def a_loop_is_cut_by_a_marker_on_both_ways(flag):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):
        model(x).sum().backward()
        optimizer.step()
        if flag:
            torch_xla.sync()
        else:
            torch_xla.sync()  # expect: XLA201


def an_inner_loop_is_cut_on_the_first_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):
        if flag:
            for _ in range(2):
                torch_xla.sync()
        model(x).sum().backward()
        optimizer.step()


def an_inner_loop_is_cut_on_the_second_way(flag):
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):
        if flag:
            pass
        else:
            for _ in range(2):
                torch_xla.sync()
        model(x).sum().backward()
        optimizer.step()


# What makes the rest less sure


def an_unknown_callee_got_the_model_on_the_first_way(framework, flag):
    loss = model(x)
    if flag:
        framework(model)
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


def an_unknown_callee_got_the_model_on_the_second_way(framework, flag):
    loss = model(x)
    if flag:
        pass
    else:
        framework(model)
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


def an_unknown_callee_got_the_model_before_the_cut(framework):
    framework(model)
    torch_xla.sync()
    loss = model(x)
    print(loss.item())  # expect: XLA102
    torch_xla.sync()


def recursive_on_the_first_way(flag):
    if flag:
        recursive_on_the_first_way(flag)  # expect: XLA092
    loss = model(x)
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


def recursive_on_the_second_way(flag):
    if flag:
        pass
    else:
        recursive_on_the_second_way(flag)  # expect: XLA092
    loss = model(x)
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


# The places that a line is reached from


def reached_in_a_loop_first(batch):
    model(batch)  # holds: scopes.in_loop = True


def reached_in_a_loop_last(batch):
    model(batch)  # holds: scopes.in_loop = True


def reached_in_a_closure_first(batch):
    model(batch)  # holds: scopes.in_closure = False


def reached_in_a_closure_last(batch):
    model(batch)  # holds: scopes.in_closure = False


def reached_in_a_closure_only(batch):
    model(batch)  # holds: scopes.in_closure = True


def reached_from_everywhere():
    for _ in range(3):
        reached_in_a_loop_first(x)
    reached_in_a_loop_first(x)
    reached_in_a_loop_last(x)
    for _ in range(3):
        reached_in_a_loop_last(x)
    xm.add_step_closure(reached_in_a_closure_first, (x,))
    reached_in_a_closure_first(x)
    reached_in_a_closure_last(x)
    xm.add_step_closure(reached_in_a_closure_last, (x,))
    xm.add_step_closure(reached_in_a_closure_only, (x,))
    torch_xla.sync()


def reached_by_replicas_first(batch):
    model(batch)  # holds: replicas.launched = None


def reached_by_replicas_last(batch):
    model(batch)  # holds: replicas.launched = None


def reached_by_replicas_only(batch):
    model(batch)  # holds: replicas.launched = True


def replica(index, batch):
    reached_by_replicas_first(batch)
    reached_by_replicas_last(batch)
    reached_by_replicas_only(batch)


def reached_by_nobody_knows_whom():
    reached_by_replicas_last(x)
    torch_xla.launch(replica, (x,))
    reached_by_replicas_first(x)


# The place of what is recorded


def recorded_on_two_ways_is_told_at_the_first_place(flag):
    for batch in loader:
        with torch_xla.step():
            model(batch)
        if flag:
            batch + 1  # expect: XLA212
        else:
            batch + 2


def recorded_first_on_the_second_way(flag):
    for batch in loader:
        with torch_xla.step():
            model(batch)
        for _ in range(3):
            if flag:
                batch + 1  # expect: XLA212
                break
        else:
            batch + 2


# Backwards and steps


def backward_on_the_first_way(loader, flag):
    for epoch in range(3):
        for batch in range(3):
            loss = model(x)
            if flag:
                loss.backward()
            torch_xla.sync()


def backward_on_the_second_way(loader, flag):
    for epoch in range(3):
        for batch in range(3):
            loss = model(x)
            if flag:
                pass
            else:
                loss.backward()
            torch_xla.sync()


def backward_on_neither_way(loader, flag):
    for epoch in range(3):
        for batch in range(3):
            loss = model(x)
            if flag:
                x.shape
            torch_xla.sync()  # expect: XLA201


def gradients_on_the_first_way(flag):
    loss = model(x)
    if flag:
        loss.sum().backward()
    else:
        model(x)
    for p in model.parameters():
        p.grad.norm().item()
    torch_xla.sync()


def gradients_on_the_second_way(flag):
    loss = model(x)
    if flag:
        model(x)
    else:
        loss.sum().backward()
    for p in model.parameters():
        p.grad.norm().item()
    torch_xla.sync()


# Reads of all that inference records


def read_on_the_first_way(flag):
    for batch in torch.utils.data.DataLoader([]):
        scores = model(batch.to(device))
        if flag:
            scores.cpu()


def read_on_the_second_way(flag):
    for batch in torch.utils.data.DataLoader([]):
        scores = model(batch.to(device))
        if flag:
            pass
        else:
            scores.cpu()


# Loops that write their parameters on some way


def an_exit_after_a_save_in_the_first_arm(flag, other):
    optimizer = torch.optim.SGD(model.parameters())
    torch_xla.sync()
    for batch in loader:
        optimizer.step()
        if flag:
            if other:
                xm.save(model.state_dict(), "model.pt")  # expect: XLA602
            else:
                print("nothing is saved here")
            break
    model(x)


def an_exit_after_a_save_in_the_second_arm(flag, other):
    optimizer = torch.optim.SGD(model.parameters())
    torch_xla.sync()
    for batch in loader:
        optimizer.step()
        if flag:
            if other:
                print("nothing is saved here")
            else:
                xm.save(model.state_dict(), "model.pt")  # expect: XLA602
            break
    model(x)
