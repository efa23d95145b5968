# ruff: noqa
# mypy: ignore-errors
"""What comes after a call that surely raises is a note: it never comes to that."""

import argparse

import torch
import torch_xla


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


class Meter:
    def __init__(self, name, form=":f"):
        self.name, self.form = name, form

    def update(self, value, n=1):
        self.last = value


def report(loss, *, step):
    print(loss.item(), step)


device = torch_xla.device()


def without_a_name(batches):
    model = Model().to(device)
    losses = Meter()
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def fitting(batches):
    model = Model().to(device)
    losses = Meter("loss")
    for step, batch in enumerate(batches):
        loss = model(batch.to(device)).mean()
        losses.update(loss.item(), n=4)  # expect: XLA102
        report(loss, step=step)  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def one_too_many(batches):
    model = Model().to(device)
    losses = Meter("loss", ":f", 3)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def not_by_that_name(batches):
    model = Model().to(device)
    losses = Meter(name="loss", style=":f")
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def whatever_is_given(batches, settings):
    model = Model().to(device)
    losses = Meter(**settings)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_names_that_are_written_out(batches):
    model = Model().to(device)
    given = {"name": "loss", "style": ":f"}
    losses = Meter(**given)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def by_fitting_names_that_are_written_out(batches):
    model = Model().to(device)
    given = {"name": "loss", "form": ":f"}
    losses = Meter(**given)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_names_of_which_one_goes(batches):
    model = Model().to(device)
    given = {"name": "loss", "style": ":f"}
    given.pop("style")
    losses = Meter(**given)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_names_to_which_others_may_come(batches, add):
    model = Model().to(device)
    given = {"form": ":f"}
    add(given)
    losses = Meter(**given)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def only_when_it_goes_wrong(batches):
    model = Model().to(device)
    try:
        losses = Meter()
    except TypeError:
        losses = Meter("loss")
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def on_one_way(batches, short):
    model = Model().to(device)
    losses = Meter("loss")
    if short:
        losses = Meter()
    for batch in batches:
        loss = model(batch.to(device)).mean()
        losses.update(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


class Trains:
    @classmethod
    def prepare(cls, batches):
        cls.model = Model().to(device)
        cls.run(cls, batches)

    def run(self, batches):
        for batch in batches:
            loss = self.model(batch.to(device)).mean()
            print(loss.item())  # expect: XLA102
            loss.backward()
            torch_xla.sync()  # expect: XLA201


def of_two_devices(batches):
    model = Model().to(device)
    for batch in batches:
        rest = torch.zeros(1, 4)
        rest[:, 0] = 1
        x = torch.cat([batch.to(device).float() + torch.ones(1, device=device), rest])
        loss = model(x).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def of_one_device(batches):
    model = Model().to(device)
    for batch in batches:
        rest = torch.zeros(1, 4)
        x = torch.cat([batch.to(device).float() + torch.ones(1, device=device), rest.to(device)])
        loss = model(x).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def like_what_is_not_seen(batches, target):
    model = Model().to(device)
    for batch in batches:
        y = torch.ones(1, 4, device=device)
        x = torch.cat([y, torch.zeros_like(target)])
        loss = model(x).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def in_each_round(batches, optimizer):
    model = Model().to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely
        optimizer.step(Meter())
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def as_a_test_expects(batches, case):
    model = Model().to(device)
    with case.assertRaises(TypeError):
        Meter()
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_what_is_gone(batches):
    model = Model().to(device)
    torch.set_deterministic(True)  # expect: XLA001
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def set_up():
    torch.set_deterministic(True)  # expect: XLA001


def of_what_is_gone_in_a_function(batches):
    model = Model().to(device)
    set_up()
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def of_what_is_gone_where_it_is(batches):
    model = Model().to(device)
    if hasattr(torch, "set_deterministic"):
        torch.set_deterministic(True)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def count(model, dataset):
    for batch in torch.utils.data.DataLoader(dataset, batch_size=4):
        print(model(batch.to(device)).shape)


def by_samples_of_a_loader(dataset, batches):
    model = Model().to(device)
    count(model, torch.utils.data.DataLoader(dataset))
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def by_samples(dataset, batches):
    model = Model().to(device)
    count(model, torch.utils.data.TensorDataset(dataset))
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_what_torch_has_not(batches):
    model = Model().to(device)
    optimizer = torch.optim.AdamWW(model.parameters())
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def of_parts_that_torch_has(batches):
    model = Model().to(device)
    torch.distributed.pipelining.pipeline(model, ())
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_one_that_settings_name(batches, settings):
    model = Model().to(device)
    criterion = getattr(torch.nn.functional, settings.loss)
    for batch in batches:
        loss = criterion(model(batch.to(device)), batch.to(device))
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_nccl(batches):
    model = Model().to(device)
    torch.distributed.init_process_group("nccl")
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def find(path):
    """To be written."""
    print(path)
    raise NotImplementedError("say where the data are")


def look_for(path):
    if path.exists():
        return path
    raise FileNotFoundError(path)


def of_a_function_that_raises(batches):
    model = Model().to(device)
    find("data")
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def of_a_function_that_may_raise(batches):
    model = Model().to(device)
    look_for("data")
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_a_function_whose_error_is_caught(batches):
    model = Model().to(device)
    try:
        find("data")
    except NotImplementedError:
        pass
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


class Trainer:
    def load(self):
        raise NotImplementedError

    def fit(self):
        model = Model().to(device)
        for batch in self.load():
            loss = model(batch.to(device)).mean()
            print(loss.item())  # expect: XLA102
            loss.backward()
            torch_xla.sync()  # expect: XLA201


def train_replica(batches):
    model = Model().to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def of_one_that_gets_no_number():
    torch_xla.launch(train_replica, args=(torch.ones(8, 4, 4),))


def train_numbered_replica(index, batches, *more):
    model = Model().to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_one_that_gets_its_number():
    torch_xla.launch(train_numbered_replica, args=(torch.ones(8, 4, 4), 1))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("-b", "--batch-size", type=int, default=8)
    group = parser.add_argument_group("data")
    group.add_argument("--folder", dest="data")
    args = parser.parse_args()
    print(args)
    of_options_that_are_there(args, [torch.ones(args.batch_size, 4)])
    of_an_option_that_is_not_there(args, [torch.ones(args.batch_size, 4)])


def of_an_option_that_is_not_there(args, batches):
    model = Model().to(device)
    print(args.local_rank)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def of_options_that_are_there(args, batches):
    model = Model().to(device)
    print(args.data, args.batch_size)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201
