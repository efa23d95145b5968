"""The framework's training loop."""

import importlib

import torch
import torch_xla


class Trainer:
    def __init__(self, model, criterion):
        registry = importlib.import_module(f"{__package__}.criterions").REGISTRY
        self.model = model
        self.criterion = registry[criterion]()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def fit(self, loader, device):
        log = []
        for inputs, target in loader:
            sample = {"input": inputs.to(device), "target": target.to(device)}
            with torch_xla.step():
                self.optimizer.zero_grad()
                loss, numbers = self.criterion(self.model, sample)
                loss.backward()
                self.optimizer.step()
            log += [float(value) for value in numbers.values()]
            log.append(loss.item())
        return log
