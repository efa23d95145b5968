# ruff: noqa
# mypy: ignore-errors
"""Who first asks whether a device is given as text, and then what that says, has it as text where it is XLA's."""

import torch
import torch_xla


class Trainer:
    def __init__(self, config):
        self.args = config
        self.device = torch_xla.device()
        self.model = torch.nn.Linear(4, 4).to(self.device)

    def by_its_beginning(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if isinstance(self.args.device, str) and self.args.device.startswith("xla"):
                pass
            else:
                print(y.item())
            torch_xla.sync()  # expect: XLA201

    def by_all_of_it(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if not (isinstance(self.args.device, str) and self.args.device == "xla"):
                print(y.item())
            torch_xla.sync()  # expect: XLA201

    def where_it_is_of_xla(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if isinstance(self.args.device, str) and self.args.device.startswith("xla"):
                print(y.item())  # expect: XLA102
            torch_xla.sync()  # expect: XLA201

    def of_something_else(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if isinstance(self.args.name, str) and self.args.name.startswith("xla"):
                pass
            else:
                print(y.item())  # expect: XLA102
            torch_xla.sync()  # expect: XLA201

    def of_another_text(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if isinstance(self.args.name, str) and self.args.device.startswith("xla"):
                pass
            else:
                print(y.item())  # expect: XLA102
            torch_xla.sync()  # expect: XLA201


class Average:
    def __init__(self, model, device=None):
        self.model = torch.nn.Linear(4, 4)
        self.device = device

    @torch.no_grad()
    def update(self, model):
        for own, other in zip(self.model.parameters(), model.parameters()):
            if self.device is not None:
                other = other.to(device=self.device)
            own.copy_(own * 0.9 + other * 0.1)


class Told:
    def __init__(self, device):
        self.device = device
        self.model = torch.nn.Linear(4, 4)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.model.to(self.device)  # expect: XLA701


def averaged_on_the_host(batches):
    model = torch.nn.Linear(4, 4).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    average = Average(model, device="cpu")
    for x in batches:
        model(x.to(torch_xla.device())).sum().backward()
        optimizer.step()
        average.update(model)  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def averaged_where_it_is(batches):
    model = torch.nn.Linear(4, 4).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    average = Average(model)
    for x in batches:
        model(x.to(torch_xla.device())).sum().backward()
        optimizer.step()
        average.update(model)
        torch_xla.sync()  # expect: XLA201


def told_by_a_text():
    told = Told("xla:0")
    told.model(torch.ones(4, 4, device=told.device)).sum().backward()
    told.optimizer.step()


def chosen_as_text(batches, options):
    if options.cpu:
        device = "cpu"
    else:
        device = "xla"
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_a_backend(batches, options):
    backend = "nccl" if options.cuda else "xla"
    model = torch.nn.Linear(4, 4).to(backend)
    for batch in batches:
        loss = model(batch.to(backend)).mean()
        print(loss.item())
        loss.backward()
        torch_xla.sync()  # expect: XLA201
