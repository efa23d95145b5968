# ruff: noqa
# mypy: ignore-errors
"""What is gathered in evaluations, with autograd on or off."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
model.eval()


def gathered(module, batches):
    found = []
    for batch in batches:
        with torch_xla.step():
            found.append(module(batch.to(device)).sum())  # expect: XLA710
    return torch.stack(found)


def first_without_and_then_with_it(batches):
    module = torch.nn.Linear(4, 4).to(device).eval()
    with torch.no_grad():
        gathered(module, batches)
    gathered(module, batches)


def off_in_vain(batches):
    module = torch.nn.Linear(4, 4).to(device).eval()
    torch.no_grad()  # makes a scope that nobody enters
    found = []
    for batch in batches:
        with torch_xla.step():
            found.append(module(batch.to(device)).sum())  # expect: XLA710
    return found


def off_from_here_on(batches):
    module = torch.nn.Linear(4, 4).to(device).eval()
    torch.set_grad_enabled(False)
    found = []
    for batch in batches:
        with torch_xla.step():
            found.append(module(batch.to(device)).sum())
    return found


def off_in_one_arm(batches, off):
    module = torch.nn.Linear(4, 4).to(device).eval()
    if off:
        torch.set_grad_enabled(False)
    found = []
    for batch in batches:
        with torch_xla.step():
            found.append(module(batch.to(device)).sum())


def off_in_the_other_arm(batches, on):
    module = torch.nn.Linear(4, 4).to(device).eval()
    if on:
        pass
    else:
        torch.set_grad_enabled(False)
    found = []
    for batch in batches:
        with torch_xla.step():
            found.append(module(batch.to(device)).sum())


def switch_off():
    torch.set_grad_enabled(False)


def off_by_a_helper(batches):
    module = torch.nn.Linear(4, 4).to(device).eval()
    switch_off()
    found = []
    for batch in batches:
        with torch_xla.step():
            found.append(module(batch.to(device)).sum())


def on_again_inside(batches):
    module = torch.nn.Linear(4, 4).to(device).eval()
    found = []
    with torch.no_grad():
        for batch in batches:
            with torch_xla.step(), torch.enable_grad():
                found.append(module(batch.to(device)).sum())  # expect: XLA710


@torch.inference_mode()
def inferred(batches):
    module = torch.nn.Linear(4, 4).to(device).eval()
    found = []
    for batch in batches:
        with torch_xla.step():
            found.append(module(batch.to(device)).sum())


def in_some_rounds(batches):
    module = torch.nn.Linear(4, 4).to(device).eval()
    found = []
    for number, batch in enumerate(batches):
        with torch_xla.step():
            score = module(batch.to(device)).sum()
        if number % 100 == 0:
            found.append(score)


def trained_by_a_helper(batches):
    module = torch.nn.Linear(4, 4).to(device).eval()
    head = torch.nn.Linear(4, 1).to(device)
    total = 0
    for batch in batches:
        with torch_xla.step():
            loss = head(module(batch.to(device))).sum()
            learn(loss)
            total += loss


def learn(loss):
    loss.backward()


class InTurn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])

    def forward(self, features):
        whole = 0.0
        for layer in self.layers:
            found = layer(features)
            torch_xla.sync()
            features = features - found
            whole = whole + found
        return whole


def summed_over_layers(batches):
    module = InTurn().to(device).eval()
    total = 0.0
    for batch in batches:
        with torch_xla.step():
            found = module(batch.to(device)).sum()  # expect: XLA204
        total = total + found  # expect: XLA710, XLA212
    return total
