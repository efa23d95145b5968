# select: XLA102
"""The loss is read before the backward; with the marker at the end nothing minds that it is read later."""

import torch
import torch_xla


def train(optimizer_of, batches, history):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = optimizer_of(model)
    for batch in batches:
        optimizer.zero_grad()
        with torch.autocast("xla", dtype=torch.bfloat16):
            loss = model(batch.to(device)).square().mean()
            # as a number
            history.append(loss.item())
        loss.backward()
        optimizer.step()
        torch_xla.sync()
