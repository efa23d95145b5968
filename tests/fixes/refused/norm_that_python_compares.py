# select: XLA703
# refused: Python asks for the value all the same, on line 18
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Clipped(torch.optim.Optimizer):
    def __init__(self, parameters, lr, largest):
        super().__init__(parameters, {"lr": lr, "largest": largest})
        self.clipped = 0

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            gradients = [each.grad for each in group["params"]]
            norm = torch.stack([each.norm() for each in gradients]).norm().item()
            scale = min(1.0, group["largest"] / norm)
            if norm > group["largest"]:
                self.clipped += 1
            factor = group["lr"] * scale
            for parameter, gradient in zip(group["params"], gradients):
                parameter.add_(gradient, alpha=-factor)


def train(model, batches):
    device = torch_xla.device()
    model = model.to(device)
    optimizer = Clipped(model.parameters(), 0.1, 1.0)
    for batch in pl.MpDeviceLoader(batches, device):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
