# ruff: noqa
# mypy: ignore-errors
"""Models that move themselves to the device in `__init__`: they are there when they are made."""

import torch
import torch_xla

device = torch_xla.device()


class Net(torch.nn.Module):
    def __init__(self, device=None):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        if device is not None:
            self.to(device)


class Agent:
    def __init__(self):
        self.net = Net(device)


def by_a_name():
    net = Net(device)
    torch.save(net.state_dict(), "net.pt")  # expect: XLA601


def of_an_object():
    agent = Agent()
    torch.save(agent.net.state_dict(), "net.pt")  # expect: XLA601


def one_for_the_other():
    agent = Agent()
    for _ in range(3):
        other = Agent()
        agent.net = other.net
    torch.save(agent.net.state_dict(), "net.pt")  # expect: XLA601


def made_anew_on_the_host():
    for _ in range(3):
        net = Net()
        torch.save(net.state_dict(), "net.pt")  # not moved yet, as the one of the round before was
        net.to(device)


def left_on_the_host():
    net = Net()
    torch.save(net.state_dict(), "net.pt")
