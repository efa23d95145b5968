# ruff: noqa
# mypy: ignore-errors
"""Means of a batch change a tensor on the CPU by its methods, each of which waits for the device. The guard does not see
it: optimizers call these methods for each parameter, and to watch them would cost more than it tells."""

import torch
import torch_xla


def main():
    torch.manual_seed(0)
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    sums = torch.ones(1)
    x = torch.rand(8, 4).to(device)
    means = model(x).exp().mean(0).detach()
    sums.add_(means[0])  # expect: XLA102
    sums.sub_(means[1])  # expect: XLA102
    sums.mul_(means[2])  # expect: XLA102
    sums.div_(means[3])  # expect: XLA102
    torch_xla.sync()
    return [sums.item()]


if __name__ == "__main__":
    main()
