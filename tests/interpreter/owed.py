# ruff: noqa
# mypy: ignore-errors
"""What is owed: what settles it, what drops it, what one arm of a branch and a called function do to it."""

import torch
import torch_xla
import torch_xla.distributed.xla_multiprocessing  # something starts replicas
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters())
loader = pl.MpDeviceLoader([], device)
x = torch.randn(4, 4, device=device)


def cut_in_a_function():
    torch_xla.sync()


def forward_in_a_function(batch):
    return model(batch)


# Reads


def a_read_before_a_cut_in_one_arm(flag):
    loss = model(x)
    print(loss.item())  # expect: XLA102
    if flag:
        torch_xla.sync()
    print("the other way still owes it")  # owed: READ


def a_read_before_a_cut_in_a_function():
    loss = model(x)
    print(loss.item())  # expect: XLA102
    cut_in_a_function()
    print("told")  # owed: nothing


def read_in_a_function(loss):
    print(loss)


def a_read_in_a_function_before_the_callers_cut():
    loss = model(x)
    read_in_a_function(loss)  # expect: XLA102
    torch_xla.sync()


# Exits


def an_exit_before_a_cut(flag):
    for batch in loader:
        optimizer.step()
        if flag:
            break
    torch_xla.sync()  # owed: EXIT, STEPPED
    model(x)  # owed: STEPPED


def an_exit_before_a_cut_in_one_arm(flag):
    for batch in loader:
        optimizer.step()
        if flag:
            break
    if flag:
        torch_xla.sync()
    model(x)  # owed: STEPPED


def an_exit_before_work_in_a_function(flag):
    torch_xla.sync()
    for batch in loader:
        optimizer.step()
        if flag:
            break  # expect: XLA203
    forward_in_a_function(x)


def an_exit_by_an_exception_before_work_in_a_function(flag):
    torch_xla.sync()
    try:
        for batch in loader:
            optimizer.step()
            if flag:
                raise ValueError
    except ValueError:
        forward_in_a_function(x)  # owed: EXIT, STEPPED
        print("it may end the program")  # owed: EXIT


def exit_in_a_function(flag):
    torch_xla.sync()
    for batch in loader:
        optimizer.step()
        if flag:
            break  # expect: XLA203


def an_exit_in_a_function_before_work(flag):
    torch_xla.sync()
    exit_in_a_function(flag)
    model(x)


def an_exit_after_a_save_that_ran_the_step(flag):
    torch_xla.sync()
    for batch in loader:
        optimizer.step()
        if flag:
            xm.save(model.state_dict(), "model.pt")  # expect: XLA602
            break
    model(x)


def an_exit_after_a_save_on_some_way(flag, other):
    torch_xla.sync()
    for batch in loader:
        optimizer.step()
        if flag:
            if other:
                xm.save(model.state_dict(), "model.pt")  # expect: XLA602
            break
    model(x)


def an_exit_after_a_save_of_what_is_older(flag):
    torch_xla.sync()
    for batch in loader:
        xm.save(model.state_dict(), "model.pt")
        optimizer.step()
        if flag:
            break  # expect: XLA203
    model(x)


# Steps


def two_cuts_between_backward_and_step():
    model(x).sum().backward()
    torch_xla.sync()  # expect: XLA205
    torch_xla.sync()  # expect: XLA205
    optimizer.step()


def a_cut_in_one_arm_splits_the_step(flag):
    model(x).sum().backward()
    torch_xla.sync()  # expect: XLA205
    if flag:
        optimizer.step()
    print("one way has stepped, the other has not")  # owed: SPLIT_STEP, STEPPED, STEP_IN_TWO


def a_step_in_two_before_a_loop_in_one_arm(flag):
    model(x).sum().backward()
    torch_xla.sync()  # expect: XLA205
    optimizer.step()
    if flag:
        for _ in range(3):
            print("the end of an outermost loop tells it")
    print("the other way still owes it")  # owed: STEPPED, STEP_IN_TWO


def a_step_in_a_function():
    model(x).sum().backward()
    torch_xla.sync()  # expect: XLA205
    step_in_a_function()
    print("the caller tells it")  # owed: STEPPED, STEP_IN_TWO


def step_in_a_function():
    optimizer.step()  # owed: SPLIT_STEP


def a_cut_in_a_function_splits_the_callers_step():
    model(x).sum().backward()
    cut_before_the_step()
    optimizer.step()


def cut_before_the_step():
    torch_xla.sync()  # expect: XLA205


def a_forward_pass_in_a_graph_of_its_own():
    for batch in loader:
        loss = model(batch).sum()
        torch_xla.sync()  # expect: XLA205
        backward_in_a_function(loss)
        optimizer.step()
        optimizer.zero_grad()


def backward_in_a_function(loss):
    loss.backward()  # owed: FORWARD_CUT


def a_forward_pass_that_is_not_the_last_before_backward():
    for batch in loader:
        model(batch)
        torch_xla.sync()
        loss = model(batch).sum()  # owed: FORWARD_CUT
        loss.backward()  # owed: FORWARD_CUT
        optimizer.step()
        optimizer.zero_grad()


def a_forward_pass_in_a_graph_of_its_own_and_a_cut_after_it():
    for batch in loader:
        loss = model(batch).sum()
        torch_xla.sync()
        torch_xla.sync()  # owed: FORWARD_CUT
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def each_step_in_one_graph_though_the_cut_stands_before_backward(batches):
    for batch in batches:
        loss = model(batch).sum()
        torch_xla.sync()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def a_step_in_two_is_not_shown_to_functions():
    model(x).sum().backward()
    torch_xla.sync()  # expect: XLA205
    optimizer.step()
    looked_at_after_the_step(x)  # owed: STEPPED, STEP_IN_TWO


def looked_at_after_the_step(batch):
    return batch + 1  # owed: nothing


def accumulated(flag):
    for _ in range(3):
        model(x).sum().backward()
        torch_xla.sync()
        if flag:
            optimizer.step()
            looked_at_while_accumulating(x)  # owed: ACCUMULATION, STEPPED, STEP_IN_TWO


def looked_at_while_accumulating(batch):
    return batch + 1  # owed: nothing


# Clips


def a_cut_between_clip_and_reduction():
    model(x).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
    torch_xla.sync()  # expect: XLA205
    xm.optimizer_step(optimizer)


def a_reduction_in_one_arm(flag):
    model(x).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
    if flag:
        xm.reduce_gradients(optimizer)
    print("the other way still owes it")  # owed: CLIP


def a_reduction_in_a_function():
    model(x).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
    reduced()


def reduced():
    xm.optimizer_step(optimizer)


def a_clip_in_a_function():
    model(x).sum().backward()
    clipped()
    xm.optimizer_step(optimizer)


def clipped():
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely


# Closures


def a_closure_before_a_cut():
    xm.add_step_closure(print)
    torch_xla.sync()  # owed: CLOSURE
    print("it has run")  # owed: nothing


def a_closure_before_a_cut_in_one_arm(flag):
    xm.add_step_closure(print)
    if flag:
        torch_xla.sync()
    print("it may have run")  # owed: nothing


def a_closure_before_a_cut_in_a_function():
    xm.add_step_closure(print)
    cut_in_a_function()
    print("it has run")  # owed: nothing


# Replicas


def a_collective_before_a_cut():
    if xm.is_master_ordinal():
        xm.rendezvous("one")  # expect: XLA502
    torch_xla.sync()  # owed: COLLECTIVE
    print("the others still do not come")  # owed: COLLECTIVE


def a_collective_that_is_met_in_one_arm(flag):
    if xm.is_master_ordinal():
        xm.rendezvous("one")  # expect: XLA502
    if flag:
        if not xm.is_master_ordinal():
            xm.rendezvous("one")
    print("not on the other way")  # owed: COLLECTIVE


# Two false alarms: the others do come, but what a caller owes a called function does not see.
def a_collective_that_is_met_in_a_function():
    if xm.is_master_ordinal():
        xm.rendezvous("one")  # expect: XLA502
    met_by_the_others(x)


def met_by_the_others(batch):
    if not xm.is_master_ordinal():  # owed: nothing
        xm.rendezvous("one")  # expect: XLA502


def a_lone_cut_before_work():
    model(x)
    if xm.is_master_ordinal():
        torch_xla.sync()  # expect: XLA502 likely
    model(x)


def a_lone_cut_before_a_cut_by_all():
    model(x)
    if xm.is_master_ordinal():
        torch_xla.sync()
    torch_xla.sync()  # owed: LONE_CUT
    model(x)  # owed: nothing


def a_lone_cut_before_a_cut_in_one_arm(flag):
    model(x)
    if xm.is_master_ordinal():
        torch_xla.sync()
    if flag:
        torch_xla.sync()
    model(x)  # owed: nothing


def a_lone_cut_before_work_in_a_function():
    model(x)
    if xm.is_master_ordinal():
        torch_xla.sync()  # expect: XLA502 likely
    forward_in_a_function(x)


def a_lone_cut_in_a_function():
    model(x)
    if xm.is_master_ordinal():
        cut_in_a_function()  # expect: XLA502 likely
    model(x)


# Clipping by hand


def limited(parameters, most):
    norm = torch.stack([p.grad.norm() for p in parameters]).norm()
    for p in parameters:
        p.grad.mul_(torch.clamp(most / norm, max=1.0))  # expect: XLA508 likely


def clipped_by_hand_before_the_reduction():
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x).sum().backward()
    limited(list(model.parameters()), 0.05)
    xm.optimizer_step(optimizer)


def averaged_by_hand(steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x).sum().backward()
    for p in model.parameters():
        p.grad.div_(steps)
    xm.optimizer_step(optimizer)


# Steps that nothing ends


def steps_that_a_read_in_one_arm_runs(flag):
    torch_xla.sync()
    for batch in [x, x]:  # expect: XLA202
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
    if flag:
        print(loss)  # owed: STEPPED, STEPS
    print("run where anything runs them")  # owed: READ, STEPPED


def steps_that_a_function_reads():
    torch_xla.sync()
    for batch in [x, x]:  # expect: XLA202
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
    read_in_a_function(loss)  # owed: STEPPED, STEPS
    print("run")  # owed: READ, STEPPED


def steps_in_a_function():
    for batch in [x, x]:  # expect: XLA202
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
    return loss


def steps_in_a_function_before_a_cut():
    steps_in_a_function()
    torch_xla.sync()  # owed: STEPPED, STEPS
    print("run")  # owed: STEPPED


def steps_before_a_save():
    steps_in_a_function()
    xm.save(model.state_dict(), "model.pt")  # owed: STEPPED, STEPS  # expect: XLA602
    print("run")  # owed: STEPPED, WRITTEN
