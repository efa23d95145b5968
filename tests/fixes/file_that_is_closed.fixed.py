# select: XLA102
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl


def evaluate(batches):
    model = torch.nn.Linear(8, 1).to("xla")
    for step, batch in enumerate(pl.MpDeviceLoader(batches, torch_xla.device())):
        with open(f"{step}.txt", "w") as file:
            loss = model(batch).square().mean()
            torch_xla.sync()
            file.write(str(loss.item()))
