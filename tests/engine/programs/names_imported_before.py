"""Everything is imported before the guard is entered; it sees the program all the same."""

import contextlib

import torch
from torch import save
from torch_xla import device, step, sync
from torch_xla.core.xla_model import mark_step, optimizer_step
from torch_xla.debug.profiler import Trace
from torch_xla.distributed.parallel_loader import MpDeviceLoader

from xlalint_runtime.guarding import Guard


def train() -> None:
    model = torch.nn.Linear(4, 2).to(device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.utils.data.TensorDataset(torch.randn(8, 4), torch.randn(8, 2))
    for x, y in MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=4), device()):
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer_step(optimizer)
        print(loss.item())  # XLA102
    with step():
        loss = model(x).sum()
        print(loss.item())  # XLA101
        print(f"{loss:.3f}")  # XLA101
    with step():
        if model(x).sum() > 0:  # XLA101
            save([1, 2], "host_values.pt")
    model(x)
    mark_step()
    with Trace("forward"):
        model(x)
        with contextlib.suppress(RuntimeError):
            sync()  # XLA301


def main() -> list[float]:
    with Guard() as guard:
        train()
    return [float(d.code[3:]) + d.range.start.line / 1000 for d in guard.diagnostics()]


if __name__ == "__main__":
    main()
