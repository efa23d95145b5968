# select: XLA404
# refused: `loader` makes it for 2 callers
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader


def loader(samples, shuffle):
    return DataLoader(samples, batch_size=4, shuffle=shuffle)


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader(loader(torch.randn(10, 8), True), device):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    for batch in pl.MpDeviceLoader(loader(torch.randn(6, 8), False), device):
        print(model(batch))


main()
