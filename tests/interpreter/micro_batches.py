# ruff: noqa
# mypy: ignore-errors
"""What is read of each of several micro-batches, of which the last alone is followed by a cut."""

import argparse

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
parser = argparse.ArgumentParser()
parser.add_argument("--grad_accum", type=int, default=1)
parser.add_argument("--micro_batches", type=int, default=4)
args = parser.parse_args()


def made():
    model = torch.nn.Linear(4, 1).to(device)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def below_the_step(loader):
    model, optimizer = made()
    total = 0.0
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
            torch_xla.sync()
        total += loss.item()  # expect: XLA102
    return total


def as_often_as_a_parameter_says(loader, accumulate):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / accumulate
        loss.backward()
        if (number + 1) % accumulate == 0 or number + 1 == len(loader):
            xm.optimizer_step(optimizer, barrier=True)
            optimizer.zero_grad()
        print(loss.item())  # expect: XLA102 likely


def as_often_as_an_option_says(loader):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / args.micro_batches
        loss.backward()
        if not (number + 1) % args.micro_batches:
            xm.optimizer_step(optimizer, barrier=True)
            optimizer.zero_grad()
        print(loss.item())  # expect: XLA102


def by_a_flag(loader):
    model, optimizer = made()
    for epoch in range(3):
        for number, batch in enumerate(loader):
            is_accumulating = (number + 1) % 8 != 0
            loss = model(batch.to(device)).mean() / 8
            loss.backward()
            if not is_accumulating:
                xm.optimizer_step(optimizer, barrier=True)
                optimizer.zero_grad()
            print(loss.item())  # expect: XLA102


def by_a_flag_that_is_none_at_first(loader):
    model, optimizer = made()
    is_accumulating = loss = None
    for number, batch in enumerate(loader):
        is_accumulating = (number + 1) % 8 != 0
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if not is_accumulating:
            xm.optimizer_step(optimizer, barrier=True)
            optimizer.zero_grad()
        print(loss.item())  # expect: XLA102
    return loss


def with_a_checkpoint_every_few_updates(loader, path):
    model, optimizer = made()
    updates = 0
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
            updates += 1
            if updates % 100 == 0:
                torch_xla.sync()
                xm.save(model.state_dict(), path)
        print(loss.item())  # expect: XLA102


def with_a_checkpoint_that_a_setting_allows(loader, path, keeps, is_whole):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if is_whole():
            if keeps:
                if number % 100 == 0:
                    torch_xla.sync()
                    xm.save(model.state_dict(), path)
        print(loss.item())  # expect: XLA102


def with_a_checkpoint_and_an_evaluation(loader, path, evaluate):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if number % 100 == 0:
            torch_xla.sync()
            xm.save(model.state_dict(), path)
        if number % 50 == 0:
            torch_xla.sync()
            evaluate()
        print(loss.item())  # expect: XLA102


class Trainer:
    def __init__(self, accumulate=4):
        self.model, self.optimizer = made()
        self.accumulate = accumulate
        self.number = 0

    def step(self, batch):
        loss = self.model(batch.to(device)).mean() / self.accumulate
        loss.backward()
        if (self.number + 1) % self.accumulate == 0:
            self.optimizer.step()
            self.optimizer.zero_grad()
            torch_xla.sync()
        self.number += 1
        return loss.item()

    def train(self, loader):
        total = 0.0
        for batch in loader:
            total += self.step(batch)  # expect: XLA102 likely
        return total


# Silent -----------------------------------------------------------------------------------------


def one_batch_each_by_default(loader):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / args.grad_accum
        loss.backward()
        if (number + 1) % args.grad_accum == 0:
            xm.optimizer_step(optimizer, barrier=True)
            optimizer.zero_grad()
        print(loss.item())


def cut_in_each_round(loader):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
        torch_xla.sync()  # expect: XLA201
        print(loss.item())


def read_where_it_is_cut(loader):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            xm.optimizer_step(optimizer, barrier=True)
            optimizer.zero_grad()
        if (number + 1) % 8 == 0:
            print(loss.item())
        if (number + 1) % 80 == 0:
            print(loss.item())


def read_behind_the_others(loader):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8:
            continue
        xm.optimizer_step(optimizer, barrier=True)
        optimizer.zero_grad()
        print(loss.item())


def cut_where_it_is_not_the_last(loader):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            xm.optimizer_step(optimizer, barrier=True)
            optimizer.zero_grad()
        else:
            torch_xla.sync()
        print(loss.item())


def cut_by_the_checkpoint_or_without_it(loader, path):
    model, optimizer = made()
    updates = 0
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
            updates += 1
            if updates % 100 == 0:
                torch_xla.sync()
                xm.save(model.state_dict(), path)
            else:
                torch_xla.sync()
            print(loss.item())


def read_where_an_update_is_kept(loader, path):
    model, optimizer = made()
    updates = 0
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
            updates += 1
            if updates % 100 == 0:
                torch_xla.sync()
                xm.save(model.state_dict(), path)
                print(loss.item())


def by_a_flag_that_says_else(loader, last):
    model, optimizer = made()
    for number, batch in enumerate(loader):
        is_last = number == last
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if is_last:
            xm.optimizer_step(optimizer, barrier=True)
            optimizer.zero_grad()
        print(loss.item())


def the_last_round_may_be_cut(loader):
    model, optimizer = made()
    read_now_and_then(loader, model, optimizer)
    torch_xla.sync()


def read_now_and_then(loader, model, optimizer):
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            xm.optimizer_step(optimizer, barrier=True)
            optimizer.zero_grad()
        print(loss.item())  # expect: XLA102


def read_above_the_marker_of_each_round(loader, model, optimizer):
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
            torch_xla.sync()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def read_below_the_marker_of_each_round(loader, model, optimizer):
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
            torch_xla.sync()
        torch_xla.sync()  # expect: XLA201
        print(loss.item())


def read_now_and_then_above_the_marker(loader, model, optimizer):
    for number, batch in enumerate(loader):
        loss = model(batch.to(device)).mean() / 8
        loss.backward()
        if (number + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
            torch_xla.sync()
        if number % 80 == 0:
            print(loss.item())
        torch_xla.sync()  # expect: XLA201


read_above_the_marker_of_each_round([torch.ones(4, 4)] * 30, *made())
read_below_the_marker_of_each_round([torch.ones(4, 4)] * 30, *made())
read_now_and_then_above_the_marker([torch.ones(4, 4)] * 30, *made())
