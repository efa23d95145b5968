"""A marker at the start of the body and one at its end: the first had nothing to run."""

import torch_xla
import torch_xla.core.xla_model as xm

for step, batch in enumerate(batches):
    xm.mark_step()
    # forward
    loss = model(batch.to(device)).square().mean()
    history.append(loss.item())
    loss.backward()
    optimizer.step()

    xm.mark_step()
