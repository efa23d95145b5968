# select: XLA302
# refused: the step on line 13 is open there, and hands over its work at its end
import time

import torch_xla
import torch_xla.core.xla_model as xm


def train(model, optimizer, batches):
    device = torch_xla.device()
    model = model.to(device)
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch.to(device)).mean().backward()
            begun = time.time()
            xm.optimizer_step(optimizer, barrier=True)
            print("update", time.time() - begun)
