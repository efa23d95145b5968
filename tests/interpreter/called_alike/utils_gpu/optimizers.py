"""An optimizer that leaves out what is not finite, for GPUs."""

import torch
from utils_gpu.steps import averaged


class Careful(torch.optim.Optimizer):
    def __init__(self, parameters, inner):
        super().__init__(parameters, {})
        self.inner = inner

    def step(self, closure=None):
        for group in self.param_groups:
            for parameter in group["params"]:
                if torch.isnan(parameter.grad).any():
                    parameter.grad = averaged(parameter.grad)
        return self.inner.step(closure)
