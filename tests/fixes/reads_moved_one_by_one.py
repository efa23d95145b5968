# select: XLA102
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(model, raw, accumulate):
    device = torch_xla.device()
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, batch in enumerate(pl.MpDeviceLoader(raw, device)):
        first, second = model(batch)
        first, second = first.square().mean(), second.square().mean()
        loss = first + second
        print("both", loss.item())
        print("first", first.item())
        print("second", second.item())
        if accumulate > 1:
            loss = loss / accumulate
        loss.backward()

        print("scaled", loss.item())
        if (step + 1) % accumulate == 0:
            xm.optimizer_step(optimizer)
            optimizer.zero_grad()
