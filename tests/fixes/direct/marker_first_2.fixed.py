"""A marker at the start of the body and one at its end: the first had nothing to run."""

import torch_xla
import torch_xla.core.xla_model as xm

for step, batch in enumerate(batches):
    with torch_xla.step():
        # forward
        loss = model(batch.to(device)).square().mean()
        loss.backward()
        optimizer.step()
    history.append(loss.item())
