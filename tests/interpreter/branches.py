# ruff: noqa
# mypy: ignore-errors
"""Branches and expressions: what both arms leave behind, and what only one does."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


def one_arm_records(flag):
    torch_xla.sync()
    if flag:
        model(x)
    print("perhaps")  # state: none-heavy


def both_arms_record(flag):
    torch_xla.sync()
    if flag:
        model(x)
    else:
        model(x + 1)
    print("surely")  # state: heavy


def one_arm_cuts(flag):
    torch_xla.sync()
    loss = model(x)
    if flag:
        torch_xla.sync()
    print(loss)  # state: none-heavy


def an_arm_that_leaves_does_not_count(flag):
    torch_xla.sync()
    model(x)
    if flag:
        torch_xla.sync()
        raise ValueError
    print("still pending")  # state: heavy


def known_conditions():
    torch_xla.sync()
    if False:
        model(x)
    if not True:
        model(x)
    if None:
        model(x)
    if 0 == 1:
        model(x)
    print("nothing ran")  # state: none
    if True and 1 == 1:
        model(x)
    print("all ran")  # state: heavy


def every_case_records(command):
    torch_xla.sync()
    match command:
        case "train":
            model(x)
        case ["eval", *rest]:
            model(x + 1)
        case _:
            model(x + 2)
    print("surely")  # state: heavy


def no_case_may_match(command):
    torch_xla.sync()
    match command:
        case "train":
            model(x)
        case {"kind": "eval", **rest}:
            model(x + 1)
    print("perhaps")  # state: none-heavy


def a_guard_may_refuse(command, flag):
    torch_xla.sync()
    match command:
        case _ if flag:
            model(x)
    print("perhaps")  # state: none-heavy


def a_capture_always_matches():
    with torch_xla.step():
        match model(x):
            case loss:
                print(loss)  # expect: XLA101


def a_capture_among_others_matches():
    with torch_xla.step():
        loss = model(x)
        match loss:
            case 3 as number:
                print("a number")
            case torch.Tensor() as tensor:
                print(tensor)  # expect: XLA101


def guards_are_asked_in_turn():
    with torch_xla.step():
        loss = model(x).sum()
        match 3:
            case 1 if loss:  # expect: XLA101
                pass
            case _:
                pass


def conditional_expression(flag):
    with torch_xla.step():
        loss = model(x) if flag else model(x + 1)
        print(loss)  # expect: XLA101


def conditional_expression_on_a_tensor():
    with torch_xla.step():
        loss = model(x).sum()
        return 1 if loss > 0 else 2  # expect: XLA101


def one_side_of_a_conditional_expression(flag):
    torch_xla.sync()
    loss = model(x) if flag else None
    print("perhaps")  # state: none-heavy


def walrus():
    with torch_xla.step():
        if (loss := model(x)) is not None:
            print(loss)  # expect: XLA101


def walrus_in_a_comprehension():
    with torch_xla.step():
        losses = [last := model(x) for _ in range(3)]
        print(last)  # expect: XLA101


def comprehension():
    with torch_xla.step():
        losses = [model(x) for _ in range(3)]
        print([loss.item() for loss in losses])  # expect: XLA101


def condition_of_a_comprehension():
    with torch_xla.step():
        losses = [model(x).sum() for _ in range(3)]
        return [1 for loss in losses if loss > 0]  # expect: XLA101


def comprehension_of_dictionaries():
    with torch_xla.step():
        losses = {name: model(x) for name in ("a", "b")}
        return {name: loss.item() for name, loss in losses.items()}  # expect: XLA101


def names_of_a_comprehension_stay_inside():
    loss = 3
    with torch_xla.step():
        losses = [loss for loss in [model(x)]]
        print(loss)


def generator_expression():
    with torch_xla.step():
        losses = [model(x), model(x)]
        print(sum(loss.item() for loss in losses))  # expect: XLA101


def short_circuit(flag):
    with torch_xla.step():
        loss = model(x).sum()
        return flag and loss > 0 and 3  # expect: XLA101


def right_side_that_is_never_reached():
    with torch_xla.step():
        return False and model(x).item()


def chained_comparison():
    with torch_xla.step():
        loss = model(x).sum()
        return 0 < loss < 3  # expect: XLA101


def comparison_alone():
    with torch_xla.step():
        return model(x) > 0


def lambda_called_at_once():
    with torch_xla.step():
        read = lambda value: value.item()
        return read(model(x))  # expect: XLA101


def unpacking():
    with torch_xla.step():
        (loss, [other, number]), *rest = (model(x), [model(x), 3]), model(x)
        print(number)
        print(other)  # expect: XLA101
        print(rest)  # expect: XLA101


def starred_arguments():
    def read(number, loss):
        print(number)
        print(loss)

    with torch_xla.step():
        arguments = (3, model(x))
        read(*arguments)  # expect: XLA101


def keyword_arguments():
    def read(number, loss):
        print(number)
        print(loss)

    with torch_xla.step():
        arguments = {"loss": model(x), "number": 3}
        read(**arguments)  # expect: XLA101


def augmented_assignment():
    with torch_xla.step():
        total = 0
        total += model(x).sum()
        print(total)  # expect: XLA101


def deleted_and_bound_again():
    with torch_xla.step():
        loss = model(x)
        del loss
        loss = 3
        print(loss)


def assertion():
    with torch_xla.step():
        assert model(x).sum() > 0  # expect: XLA101


def test_on_the_right(number):
    with torch_xla.step():
        loss = model(x).sum()
        if number % 10 == 0 and loss > 1:  # expect: XLA101
            return 1


def test_on_the_right_of_two(number):
    with torch_xla.step():
        loss = model(x).sum()
        while not (number or (number and loss > 1)):  # expect: XLA101
            number += 1


def operands_that_are_only_passed_on(flag):
    with torch_xla.step():
        loss = flag and model(x)
        other = flag or loss
        return other


def or_keeps_an_object(given=None):
    target = given or torch_xla.device()
    with torch_xla.step():
        print(torch.zeros(3, device=target) + model(x))  # expect: XLA101
