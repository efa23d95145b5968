# ruff: noqa
# mypy: ignore-errors
"""Classes: where a method comes from, and what an attribute holds."""

import enum
from dataclasses import dataclass, field
from functools import cached_property

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


class Base:
    def __init__(self):
        self.loss = model(x)

    def read(self):
        return self.loss.item()

    def show(self):
        print("nothing")


class Derived(Base):
    def __init__(self, other):
        super().__init__()
        self.other = other

    def show(self):
        super().show()
        print(self.loss)


class Other(Base):
    def read(self):
        return 3


def inherited_method():
    with torch_xla.step():
        derived = Derived(3)
        derived.read()  # expect: XLA101


def method_that_overrides():
    with torch_xla.step():
        Derived(3).show()  # expect: XLA101
        Base().show()
        Other().read()


def called_through_the_class():
    with torch_xla.step():
        derived = Derived(3)
        Base.read(derived)  # expect: XLA101


class Trainer:
    factor = 2

    def __init__(self, net, optimizer, source):
        self.net = net
        self.optimizer = optimizer
        self.source = source
        self.best = None

    def train(self):
        for batch in self.source:
            loss = self.net(batch).sum()
            loss.backward()
            self.optimizer.step()
            print(loss.item())  # expect: XLA102

    def step(self, batch):
        self.loss = self.net(batch)

    def read_later(self):
        print(self.loss)

    @property
    def latest(self):
        return self.loss

    @cached_property
    def once(self):
        return self.loss * self.factor

    @classmethod
    def build(cls):
        return cls(model, None, None)

    @staticmethod
    def read(loss):
        return loss.item()

    def __call__(self, batch):
        return self.read(self.net(batch))


def given_to_the_constructor():
    net = torch.nn.Linear(4, 4).to(device)
    source = pl.MpDeviceLoader([], device)
    Trainer(net, torch.optim.SGD(net.parameters(), lr=0.1), source).train()


def attribute_set_outside_of_init():
    trainer = Trainer(model, None, None)
    with torch_xla.step():
        trainer.step(x)
        trainer.read_later()  # expect: XLA101


def attribute_set_from_outside():
    trainer = Trainer(model, None, None)
    with torch_xla.step():
        trainer.best = model(x)
        print(trainer.best)  # expect: XLA101


def attribute_that_a_cut_has_run():
    trainer = Trainer(model, None, None)
    with torch_xla.step():
        trainer.step(x)
    with torch_xla.step():
        trainer.read_later()


def properties():
    trainer = Trainer(model, None, None)
    with torch_xla.step():
        trainer.step(x)
        print(trainer.latest)  # expect: XLA101
        print(trainer.once)  # expect: XLA101


def made_by_a_class_method():
    with torch_xla.step():
        trainer = Trainer.build()
        trainer.step(x)
        print(trainer.loss)  # expect: XLA101


def static_method():
    with torch_xla.step():
        Trainer.read(model(x))  # expect: XLA101
        Trainer(model, None, None).read(model(x))  # expect: XLA101


def instance_that_is_called():
    with torch_xla.step():
        Trainer(model, None, None)(x)  # expect: XLA101


def method_in_a_variable():
    trainer = Trainer(model, None, None)
    read = trainer.read
    with torch_xla.step():
        read(model(x))  # expect: XLA101


@dataclass
class Result:
    loss: torch.Tensor
    number: int = 0


def dataclass_with_keywords():
    with torch_xla.step():
        result = Result(loss=model(x), number=3)
        print(result.number)
        print(result.loss)  # expect: XLA101


def dataclass_without_keywords():
    with torch_xla.step():
        result = Result(model(x))
        print(result.loss)  # expect: XLA101


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, batch):
        out = self.inner(batch)
        print(out.item())
        return out


def forward_of_a_module():
    net = Net().to(device)
    for batch in pl.MpDeviceLoader([], device):
        scores = net(batch)  # expect: XLA102
        print(scores.shape)


class Counter:
    def __init__(self):
        self.losses = []

    def add(self, loss):
        self.losses.append(loss)

    def total(self):
        return sum(self.losses).item()


def list_in_an_attribute():
    counter = Counter()
    with torch_xla.step():
        counter.add(model(x))
        counter.total()  # expect: XLA101


def class_in_a_function():
    class Local:
        def read(self, loss):
            return loss.item()

    with torch_xla.step():
        Local().read(model(x))  # expect: XLA101


def two_instances_of_one_class():
    on_device = Trainer(model, None, None)
    on_host = Trainer(torch.nn.Linear(4, 4), None, None)
    with torch_xla.step():
        print(on_host.net(torch.zeros(4, 4)))


def class_chosen_at_run_time(flag):
    cls = Base if flag else Derived
    with torch_xla.step():
        print(cls().loss)  # expect: XLA101


def method_by_name():
    trainer = Trainer(model, None, None)
    with torch_xla.step():
        getattr(trainer, "read")(model(x))  # expect: XLA101


def decorated_method_of_a_class_in_a_function():
    class Local:
        @staticmethod
        @torch_xla.compile
        def step(batch):
            return model(batch).item()  # expect: XLA101

    Local.step(x)


def classes_in_a_function():
    class Above:
        def read(self, loss):
            print(loss.item())

    class Below(Above):
        def show(self, loss):
            self.read(loss)

    loss = model(x).sum()
    loss.backward()
    Below().show(loss)  # expect: XLA102
    torch_xla.sync()


class Kinds(str, enum.Enum):
    HOST = "cpu"
    DEVICE = "xla"


@dataclass
class Settings:
    rate: float = 0.1
    device: object = field(default_factory=torch_xla.device)


def device_of_an_enumeration():
    network = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    network.to(torch.device(Kinds.DEVICE.value))  # expect: XLA701
    network(x).sum().backward()
    optimizer.step()
    torch_xla.sync()


def device_of_a_field():
    settings = Settings()
    network = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(network.parameters(), lr=settings.rate)
    network.to(settings.device)  # expect: XLA701
    network(x).sum().backward()
    optimizer.step()
    torch_xla.sync()


class Plain(Base):
    pass


class Showing(Base):
    def show(self):
        print(self.loss)


class PlainAndShowing(Plain, Showing):
    pass


class Counting:
    def show(self):
        self.count = 1
        super().show()


class CountingAndShowing(Counting, Showing):
    pass


class CountingAlone(Counting, Base):
    pass


def bases_with_a_base_in_common():
    with torch_xla.step():
        PlainAndShowing().show()  # expect: XLA101


def mixins_call_what_is_named_behind_them():
    with torch_xla.step():
        CountingAndShowing().show()  # expect: XLA101
        CountingAlone().show()
