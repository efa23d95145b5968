# ruff: noqa
# mypy: ignore-errors
"""What a module, or another object that is called, does to the lists it is given: each goes back to its own name."""

import torch
import torch_xla


class Resample(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 3, 1)

    def forward(self, x, cache=None, index=[0]):
        i = index[0]
        cache[i] = x.clone()
        index[0] += 1
        return self.conv(x)


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Resample()
        self.second = Resample()

    def forward(self, x, cache=None, index=[0]):
        x = self.first(x, cache, index)
        for layer in (self.first, self.second):
            x = layer(x, cache, index)
            x = x + cache[index[0]]  # the counter is the host's
        return x


def a_counter_beside_a_cache(frames):
    device = torch_xla.device()
    model = Decoder().to(device)
    for frame in frames:
        index = [0]
        model(frame.to(device), [None] * 4, index)
        torch_xla.sync()  # expect: XLA201


def a_cache_that_is_asked(frames):
    device = torch_xla.device()
    model = Resample().to(device)
    for frame in frames:
        cache = [None] * 4
        model(frame.to(device), cache, [0])
        if cache[0]:  # expect: XLA103
            print("a tensor of the device")
        torch_xla.sync()  # expect: XLA201


class Gather:
    def __call__(self, given, found):
        found.append(given)


def a_list_that_an_object_fills(frames):
    device = torch_xla.device()
    gather = Gather()
    found = []
    for frame in frames:
        gather(frame.to(device) * 2, found)
        if found[0]:  # expect: XLA103
            print("a tensor of the device")
        torch_xla.sync()
