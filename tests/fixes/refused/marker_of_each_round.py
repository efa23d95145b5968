# select: XLA204
# refused: all rounds of the loop on line 19 would be one graph
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def moved(model, images):
    (gradient,) = torch.autograd.grad(model(images).sum(), [images])
    images.data -= 0.01 * gradient
    torch_xla.sync()
    return gradient


def train(model, optimizer, batches):
    for batch in pl.MpDeviceLoader(batches, torch_xla.device()):
        with torch_xla.step():
            images = batch.clone().requires_grad_(True)
            for _ in range(20):
                moved(model, images)
            loss = model(batch).mean() - model(images.detach()).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
