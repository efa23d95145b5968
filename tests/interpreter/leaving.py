# ruff: noqa
# mypy: ignore-errors
"""Every way of leaving a construct."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
loader = pl.MpDeviceLoader([], device)
x = torch.randn(4, 4, device=device)


def scope_ends_normally():
    with torch_xla.step():
        loss = model(x)
        print(loss)  # expect: XLA101
    print(loss)  # state: none


def scope_left_by_return():
    with torch_xla.step():
        return model(x)


def after_return():
    loss = scope_left_by_return()
    torch_xla.device()  # state: none
    with torch_xla.step():
        print(loss)


def scope_left_by_some_returns(flag):
    with torch_xla.step():
        loss = model(x)
        if flag:
            return loss
        loss = loss + 1
    return loss


def after_some_returns(flag):
    loss = scope_left_by_some_returns(flag)
    print(loss)  # state: none


def scope_left_by_break():
    for batch in range(3):
        with torch_xla.step():
            loss = model(x)
            break
        print("never")  # state: never
    print(loss)  # state: none


def scope_left_by_continue(flag):
    for batch in range(3):
        torch_xla.device()  # state: none
        with torch_xla.step():
            loss = model(x)
            if flag:
                continue
            loss.backward()
        print(loss)  # state: none


def scope_left_by_raise():
    try:
        with torch_xla.step():
            model(x)
            raise ValueError
        print("never")  # state: never
    finally:
        print("always")  # state: none


def caught_exception_may_come_from_anywhere():
    torch_xla.sync()
    try:
        loss = model(x)
    except ValueError:
        print("caught")  # state: none-heavy
    else:
        print("not caught")  # state: heavy


def caught_in_the_scope():
    with torch_xla.step():
        try:
            loss = model(x)
        except ValueError:
            return None
        print(loss.item())  # expect: XLA101


def finally_runs_on_every_way_out(flag):
    torch_xla.sync()
    try:
        model(x)
        if flag:
            return
    finally:
        torch_xla.sync()  # state: heavy


def after_finally(flag):
    finally_runs_on_every_way_out(flag)
    print("cut in `finally`")  # state: none


def finally_that_returns():
    torch_xla.sync()
    try:
        model(x)
        raise ValueError
    finally:
        return 3


def after_finally_that_returns():
    finally_that_returns()
    print("the exception is gone")  # state: heavy


def nested_finally():
    torch_xla.sync()
    try:
        try:
            model(x)
        finally:
            torch_xla.sync()  # state: heavy
    finally:
        print("inner first")  # state: none


def several_items():
    with torch.no_grad(), torch_xla.step(), torch.enable_grad():
        print(model(x))  # expect: XLA101
    print("cut")  # state: none


def scope_in_a_name():
    scope = torch_xla.step()
    with scope:
        print(model(x))  # expect: XLA101
    print("cut")  # state: none


def scope_in_a_scope():
    with torch_xla.step():
        with torch_xla.step():  # expect: XLA204
            loss = model(x)
        print(loss)  # state: none


def loop_left_by_break():
    torch_xla.sync()
    for batch in loader:
        loss = model(batch)
        if x.shape[0]:
            break
    else:
        print("exhausted")  # state: none
    print(loss)  # state: none-heavy


def every_way_is_a_break():
    torch_xla.sync()
    for batch in loader:
        loss = model(batch)
        break
    print(loss)  # state: none-heavy


def break_or_else(flag):
    torch_xla.sync()
    for number in range(3):
        if flag:
            model(x)
            break
    else:
        model(x)
    print("both")  # state: heavy


def nested_loops_each_break_their_own(flag):
    torch_xla.sync()
    for epoch in range(3):
        torch_xla.sync()
        for number in range(3):
            model(x)
            break
        print("after the inner loop")  # state: none-heavy
        torch_xla.sync()  # expect: XLA201
    print("after the outer loop")  # state: none


def while_true_and_next():
    torch_xla.sync()
    batches = iter(loader)
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            break
        loss = model(batch)
        print(loss.item())  # expect: XLA102


def while_true_ends_only_by_break(flag):
    torch_xla.sync()
    while True:
        model(x)
        if flag:
            break
    print("only by break")  # state: heavy


def while_true_never_ends():
    while True:
        torch_xla.sync()
    print("never")  # state: never


def while_with_else():
    torch_xla.sync()
    n = 0
    while n < 3:
        n += 1
    else:
        model(x)
    print("always")  # state: heavy


def early_return_under_a_rank_test():
    torch_xla.sync()
    if xr.global_ordinal() != 0:
        return
    torch_xla.core.xla_model.rendezvous("done")  # expect: XLA502 likely


def early_return_that_all_replicas_take(flag):
    torch_xla.sync()
    if flag:
        return
    torch_xla.core.xla_model.rendezvous("done")


def early_return_after_a_meeting():
    if xr.global_ordinal() != 0:
        torch_xla.core.xla_model.rendezvous("done")
        return
    torch_xla.core.xla_model.rendezvous("done")


def end_of_the_program(flag):
    import sys

    torch_xla.sync()
    if flag:
        sys.exit(1)
    else:
        model(x)
    print("one way only")  # state: heavy


class Marked:
    def __enter__(self):
        torch_xla.sync()
        return model(x)

    def __exit__(self, *exception):
        torch_xla.sync()


def object_with_methods_for_entry_and_exit():
    torch_xla.sync()
    model(x)
    with Marked() as loss:
        print(loss.item())  # state: heavy  # expect: XLA102
    print("cut")  # state: none


def object_whose_exit_runs_however_it_is_left(flag):
    for number in range(3):
        with Marked() as loss:  # expect: XLA201
            if flag:
                break
    print("cut")  # state: none


async def object_without_such_methods():
    torch_xla.sync()
    async with Marked() as loss:
        model(x)
    print("nothing cut")  # state: heavy


def exit_stack(flag):
    import contextlib

    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(torch_xla.step())
        print(model(x))  # expect: XLA101
    print("cut")  # state: none


def exit_stack_that_perhaps_holds_a_scope(flag):
    from contextlib import ExitStack

    with ExitStack() as stack:
        if flag:
            stack.enter_context(torch_xla.step())
        print(model(x))
    print("perhaps")  # state: none-heavy


def scope_chosen_at_run_time(flag):
    from contextlib import nullcontext

    torch_xla.sync()
    with torch_xla.step() if flag else nullcontext():
        loss = model(x)
        print("in it")  # state: heavy
    print(loss)  # state: none-heavy
    torch_xla.sync()


def scope_chosen_by_a_name(flag):
    from contextlib import nullcontext

    scope = nullcontext()
    if flag:
        scope = torch_xla.step()
    with scope:
        loss = model(x)
    print(loss)  # state: none-heavy
    torch_xla.sync()


def whichever_scope_is_chosen_it_is_a_step(flag):
    if flag:
        scope = torch_xla.step()
    else:
        scope = torch_xla.step()
    with scope:
        print(model(x))  # expect: XLA101
    print("cut")  # state: none
