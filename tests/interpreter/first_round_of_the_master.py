# ruff: noqa
# mypy: ignore-errors
"""The master shows the first loss of an epoch, before any step has been summed; others by the sums of those before."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from torch.utils.data import DataLoader, TensorDataset


def train(index, start, data):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 4, bias=False)
    model.load_state_dict(start)
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    is_master = xr.global_ordinal() == 0
    for _ in range(2):
        for step, (x,) in enumerate(DataLoader(TensorDataset(data), batch_size=4)):  # expect: XLA202
            optimizer.zero_grad()
            loss = model(x.to(device)).square().mean()
            loss.backward()
            xm.optimizer_step(optimizer)
            if is_master and step == 0:
                print(f"first batch: {loss.item()}")  # expect: XLA102
            if is_master and step % 2 == 1:
                print(f"loss: {loss.item()}")  # expect: XLA102, XLA501
        torch_xla.sync()  # expect: XLA201


def main():
    torch.manual_seed(0)
    start, data = {"weight": torch.full((4, 8), 0.5)}, torch.randn(16, 8)
    return torch_xla.launch(train, args=(start, data))


if __name__ == "__main__":
    main()
