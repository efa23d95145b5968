# ruff: noqa
# mypy: ignore-errors
"""What a test sets that misses it runs in the first round alone: no shape varies there from round to round."""

import torch
import torch_xla


class Scheduler:
    def __init__(self, timesteps, device):
        self.timesteps = torch.arange(timesteps, device=device)
        self._step_index = None
        self.seen = None
        self.other = None
        self.index = None

    @property
    def step_index(self):
        return self._step_index

    def index_for(self, t):
        return (self.timesteps == t).nonzero()[0].item()

    def find(self, t):
        self._step_index = self.index_for(t)

    def step(self, t, x):
        if self.step_index is None:
            self.find(t)
        self._step_index += 1
        return x * 0.5

    def step_by_its_attribute(self, t, x):
        if self.index is None:
            self.index = self.index_for(t)
        self.index += 1
        return x * 0.5

    def step_with_a_lookup(self, t, x):
        if self.seen is None:
            self.seen = self.timesteps[self.timesteps == t]
        return x * 0.5

    def step_with_a_lookup_each(self, t, x):
        if self.other is None:
            print(self.timesteps[self.timesteps == t])  # expect: XLA401
        return x * 0.5


def sample(model, x):
    device = torch_xla.device()
    scheduler = Scheduler(50, device)
    for t in scheduler.timesteps:
        x = scheduler.step(t, model(x.to(device)))
        x = scheduler.step_by_its_attribute(t, x)
        x = scheduler.step_with_a_lookup(t, x)
        x = scheduler.step_with_a_lookup_each(t, x)
        torch_xla.sync()  # expect: XLA201
