import torch
import torch_xla


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def train_epoch(self, loader):
        for (x,) in loader:
            with torch_xla.step():
                self.optimizer.zero_grad()
                self.model(x.to("xla")).square().mean().backward()
                self.optimizer.step()


@torch.no_grad()
def evaluate(model, loader):
    total = torch.zeros((), device="xla")
    for (x,) in loader:
        with torch_xla.step():
            total += model(x.to("xla")).square().sum()
    return total.item()
