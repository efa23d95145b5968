"""The marker stands at the start of the body, and ends the step of the iteration before."""

import torch_xla
import torch_xla.core.xla_model as xm

for step, batch in enumerate(batches):
    xm.mark_step()  # of the last iteration
    optimizer.zero_grad()
    loss = model(batch.to(device)).square().mean()
    loss.backward()
    optimizer.step()
    if step == 3:
        print("three")
