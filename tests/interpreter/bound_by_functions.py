# ruff: noqa
# mypy: ignore-errors
"""What functions that a loop calls do to names around them, to lists that they are given, and to attributes."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device).eval()
table = torch.randn(64, 4, device=device)
batches = torch.utils.data.DataLoader([torch.randn(4)] * 16, batch_size=4, drop_last=True)


def summed_by_a_function_within(steps):
    def add():
        nonlocal total
        with torch_xla.step():
            loss = model(table).sum()
        total = total + loss  # expect: XLA710

    total = 0.0
    for step in range(steps):
        add()  # expect: XLA212
    return total


def gathered_by_a_function_within(epochs):
    def gather():
        losses.append(model(batch.to(device)).sum())

    for epoch in range(epochs):
        losses = []
        with torch.no_grad():
            for batch in batches:  # expect: XLA202
                gather()
        print(torch.stack(losses).sum().item())
        torch_xla.sync()  # expect: XLA201


def gather(losses, batch):
    losses.append(model(batch.to(device)).sum())


def gathered_by_a_function(epochs):
    for epoch in range(epochs):
        losses = []
        with torch.no_grad():
            for batch in batches:  # expect: XLA202
                gather(losses, batch)
        print(torch.stack(losses).sum().item())
        torch_xla.sync()  # expect: XLA201


def counted_by_a_function_within(steps):
    def go_on():
        nonlocal position
        y = model(table[position])  # expect: XLA402
        position += 1
        torch_xla.sync()

    position = 0
    for step in range(steps):
        go_on()  # expect: XLA201


class Counting:
    def __init__(self):
        self.position = 0

    def run(self, steps):
        for step in range(steps):
            self.go_on()  # expect: XLA201

    def go_on(self):
        y = model(table[self.position])  # expect: XLA402
        self.position += 1
        torch_xla.sync()


def counted_twice_by_a_method():
    counting = Counting()
    counting.go_on()
    counting.go_on()


def lengthened(seen, step):
    seen.append(model(table[0]).detach())
    return torch.stack(seen).mean()  # expect: XLA403


def lengthened_by_a_function(steps):
    seen = []
    for step in range(steps):
        with torch_xla.step():
            lengthened(seen, step)


def lengthened_by_another_name(steps):
    seen = []
    for step in range(steps):
        with torch_xla.step():
            gathered = seen
            gathered.append(model(table[0]).detach())
            torch.stack(seen).mean()  # expect: XLA403


def begun_anew_by_another_name(steps):
    for step in range(steps):
        seen = []
        gathered = seen
        with torch_xla.step():
            gathered.append(model(table[0]))
            torch.stack(seen).mean()


def another_list(steps):
    seen = []
    for step in range(steps):
        gathered = seen
        gathered = []
        with torch_xla.step():
            gathered.append(model(table[0]))
            torch.stack(seen + gathered).mean()


def layers_of_each_step(steps):
    for step in range(steps):
        outputs = []
        with torch_xla.step():
            for layer in (model, model):
                outputs.append(layer(table))
            torch.stack(outputs).sum()


summed_by_a_function_within(8)
gathered_by_a_function_within(2)
gathered_by_a_function(2)
counted_by_a_function_within(8)
Counting().run(8)
counted_twice_by_a_method()
lengthened_by_a_function(8)
lengthened_by_another_name(8)
begun_anew_by_another_name(8)
another_list(8)
layers_of_each_step(8)
