"""A module that runs text may have its settings changed by it: no branch on them is dead."""

import torch
import torch_xla

only_evaluates = True
saves = False
exec(open("configurator.py").read())  # as scripts do that take their settings from a file

device = torch_xla.device()
model = torch.nn.Linear(3, 3).to(device)


def train():
    if only_evaluates:
        return
    torch.save(model.state_dict(), "trained.pt")  # expect: XLA601


train()
if saves:
    torch.save(model.state_dict(), "saved.pt")  # expect: XLA601

replaced = False
if replaced:
    torch.save(model.state_dict(), "never.pt")


def within_a_function():
    saves_here = False
    if saves_here:
        torch.save(model.state_dict(), "never.pt")


within_a_function()
