# select: XLA203
# refused: it would run although the loop
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl


def train(batches, target):
    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader(batches, torch_xla.device()):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        if loss < target:
            break
        loss.backward()
        xm.optimizer_step(optimizer)
    print(model(batches[0].to("xla")).square().mean().item())
    torch_xla.sync()
