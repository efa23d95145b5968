# select: XLA201
# refused: to cut the graph is what `mark_step` is for, and it does more
import torch
import torch_xla

STEPS = []


def mark_step():
    STEPS.append(len(STEPS))
    torch_xla.sync()


def train(model, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        model(batch.to("xla")).square().mean().backward()
        optimizer.step()
        mark_step()
