"""A program that watches parts of itself."""

import json

import torch
import torch_xla

import xlalint_runtime

device = torch_xla.device()
torch.manual_seed(0)
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(steps, *, reads):
    for _ in range(steps):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.randn(4, 8).to(device)).square().mean()
            loss.backward()
            optimizer.step()
            if reads:
                loss.item()
    return loss.item()


with xlalint_runtime.guard(report="part.json") as watched:
    train(3, reads=True)
    print("operator:", torch.ops._c10d_functional.all_reduce.default)
print("record:", [each.code for each in watched.diagnostics], watched.run.steps, watched.run.end)
with open("part.json") as file:
    print("file:", [each["code"] for each in json.load(file)["diagnostics"]])


@xlalint_runtime.guard(mode="raise")
def raising(reads):
    return train(2, reads=reads)


raising(False)
try:
    raising(True)
except RuntimeError as error:
    print("raise:", type(error).__name__, str(error).splitlines()[0].split(": ")[1])
with xlalint_runtime.guard(ignore=["XLA101"]) as silent:
    with xlalint_runtime.guard(mode="raise"):
        train(2, reads=True)
print("nested:", len(silent.diagnostics), silent.run.causes["reads"])
