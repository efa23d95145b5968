import torch
from running.base import Trainer
from torch.utils.data import DataLoader, TensorDataset


class Regression(Trainer):
    def run(self):
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        loader = DataLoader(TensorDataset(torch.randn(64, 4)), batch_size=8)
        optimizer, loader = self.accelerator.prepare(optimizer, loader)
        for (x,) in loader:
            loss = self.model(x).pow(2).mean()
            self.accelerator.backward(loss)
            print(loss.item())  # expect: XLA102
            optimizer.step()
            optimizer.zero_grad()


Regression(torch.nn.Linear(4, 4)).run()
