# select: XLA302
import time

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)


def cuts():
    torch_xla.sync()


def timed(x):
    start = time.time()
    model(x.to(device))
    xm.mark_step()
    xm.wait_device_ops()
    print(time.time() - start)
    start = time.time()
    model(x.to(device))
    torch_xla.sync(wait=False)
    xm.wait_device_ops()
    print(time.time() - start)
    start = time.time()
    model(x.to(device))
    cuts()
    xm.wait_device_ops()
    print(time.time() - start)


timed(torch.randn(2, 4))
