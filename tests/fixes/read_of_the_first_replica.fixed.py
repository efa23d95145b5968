# select: XLA102, XLA501
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def train(index, batches):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = xr.global_ordinal() == 0
    loader = iter(pl.MpDeviceLoader(batches, device))
    for _ in range(10):
        for _ in range(2):
            model(next(loader)).square().mean().backward()
        xm.optimizer_step(optimizer)
        optimizer.zero_grad()
        torch_xla.sync()
        if first:
            for count in (2, 4):
                scores = model(torch.ones(count, 8).to(device))
                total = scores.sum()
                torch_xla.sync()
                print(total.item())


if __name__ == "__main__":
    torch_xla.launch(train, args=([],))
