"""Draws from every generator that a program can seed, seeded or not."""

import random

import numpy as np
import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch import manual_seed


def main() -> list[float]:
    drawn = [torch.rand(1).item(), random.random(), float(np.random.rand())]
    manual_seed(5)
    drawn.append(torch.rand(1).item())
    torch.random.manual_seed(6)
    drawn.append(torch.rand(1).item())
    random.seed(7)
    drawn.append(random.random())
    np.random.seed(8)
    drawn.append(float(np.random.rand()))
    drawn.append(float(np.random.default_rng(9).random()))
    torch_xla.manual_seed(10)
    drawn.append(torch.rand(1, device=torch_xla.device()).item())
    xm.set_rng_state(11)
    drawn.append(torch.rand(1, device=torch_xla.device()).item())
    return drawn


if __name__ == "__main__":
    main()
