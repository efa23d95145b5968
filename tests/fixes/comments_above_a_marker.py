# select: XLA201
import torch
import torch_xla


def train(model, optimizer, batches):
    device = torch_xla.device()
    for step, batch in enumerate(batches):
        optimizer.zero_grad()
        loss = model(batch.to(device)).mean()
        loss.backward()
        optimizer.step()

        # Without this the graph grows for ever,
        # as in the first runs.
        torch_xla.sync()

        # Tell how far it is.
        print(step)


def warm_up(model, optimizer, batches):
    device = torch_xla.device()
    for batch in batches:
        optimizer.zero_grad()
        model(batch.to(device)).mean().backward()
        optimizer.step()
        # See the design notes.
        torch_xla.sync()
