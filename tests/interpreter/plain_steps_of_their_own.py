# ruff: noqa
# mypy: ignore-errors
"""Plain steps in functions of their own, in a module that sums the gradients in others."""

import functools

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def made():
    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def summed(model, optimizer):
    with torch_xla.step():
        optimizer.zero_grad()
        model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        xm.optimizer_step(optimizer)


def after_the_other(model, optimizer):
    with torch_xla.step():
        optimizer.zero_grad()
        model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        optimizer.step()  # expect: XLA506


def one_after_the_other(index):
    model, optimizer = made()
    summed(model, optimizer)
    after_the_other(model, optimizer)


def launched_by_itself(index, rounds):
    model, optimizer = made()
    for number in range(rounds):
        with torch_xla.step():
            model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
            if (number + 1) % 4 == 0:
                optimizer.step()  # expect: XLA506
                optimizer.zero_grad()


class Trainer:
    def __init__(self):
        self.model, self.optimizer = made()

    def pretrain(self):
        self.model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        xm.optimizer_step(self.optimizer, barrier=True)

    def fine_tune(self):
        self.model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        self.optimizer.step()  # expect: XLA506
        torch_xla.sync()


def by_methods(index):
    trainer = Trainer()
    trainer.pretrain()
    trainer.fine_tune()


# Silent -----------------------------------------------------------------------------------------


def for_one_device(model, optimizer):
    with torch_xla.step():
        optimizer.zero_grad()
        model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        optimizer.step()


def one_or_the_other(index, several):
    model, optimizer = made()
    if several:
        summed(model, optimizer)
    else:
        for_one_device(model, optimizer)


def for_one_process(model, optimizer):
    with torch_xla.step():
        optimizer.zero_grad()
        model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        optimizer.step()


def other_trained(model, optimizer):
    for_one_process(model, optimizer)


def one_that_leaves(index, several):
    model, optimizer = made()
    if several:
        summed(model, optimizer)
        return
    other_trained(model, optimizer)


def stepped_where_a_flag_says_so(index, several):
    model, optimizer = made()
    with torch_xla.step():
        optimizer.zero_grad()
        model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        if not several:
            optimizer.step()


def one_of_a_table(model, optimizer):
    with torch_xla.step():
        optimizer.zero_grad()
        model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        optimizer.step()


def by_name(index, name):
    model, optimizer = made()
    {"several": summed, "one": one_of_a_table}[name](model, optimizer)
    one_of_a_table(model, optimizer)


class OfReplicas:
    def update(self, model, optimizer):
        model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


class OfOne:
    def update(self, model, optimizer):
        model(torch.ones(8, 4, device=torch_xla.device())).sum().backward()
        optimizer.step()
        torch_xla.sync()


def by_a_method_of_either(index):
    model, optimizer = made()
    OfOne().update(model, optimizer)


if __name__ == "__main__":
    torch_xla.launch(one_after_the_other)  # expect: XLA517 likely
    torch_xla.launch(functools.partial(launched_by_itself, rounds=8))
    torch_xla.launch(by_methods)  # expect: XLA517 likely
    torch_xla.launch(one_or_the_other, args=(int(input()),))  # expect: XLA517 likely
    torch_xla.launch(one_that_leaves, args=(int(input()),))  # expect: XLA517 likely
    torch_xla.launch(stepped_where_a_flag_says_so, args=(int(input()),))
    torch_xla.launch(by_name, args=(input(),))
    torch_xla.launch(by_a_method_of_either)
