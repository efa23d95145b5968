import torch
import torch_xla

import cold
from compat import xm, xrt_world_size


def train(model, optimizer, batches):
    device = xm.xla_device()
    for batch in batches:
        with torch_xla.step():
            model(batch.to(device)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    print(xrt_world_size(), xm.get_ordinal())


model = torch.nn.Linear(4, 1)
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [torch.randn(2, 4)])
cold.end()
