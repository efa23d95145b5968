"""RFC #7253: the step function is compiled, and what prepares the batch is not in it."""

import torch
import torch.nn as nn
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self):
        self.device = torch_xla.device()
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.step_fn = torch_xla.compile(self.step_fn)

    def step_fn(self, data, target):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(data), target)
        loss.backward()
        self.optimizer.step()
        return loss

    def start_training(self, loader):
        for data, target in loader:
            data, target = data.to(self.device), target.to(self.device)
            data = (data - data.mean()) / data.std()  # XLA212
            loss = self.step_fn(data, target)
        print(loss.item())


if __name__ == "__main__":
    data = TensorDataset(torch.randn(64, 8), torch.randn(64, 1))
    Trainer().start_training(DataLoader(data, batch_size=8))
