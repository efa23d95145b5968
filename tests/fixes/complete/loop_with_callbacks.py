# tolerance: 1e-6
# proof: launches 37 -> 20
"""A trainer that tells its callbacks of each step and each epoch."""

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
from torch.utils.data import DataLoader, TensorDataset


class Callback:
    def on_step_end(self, trainer, step, loss):
        pass

    def on_epoch_end(self, trainer, epoch):
        pass


class LossHistory(Callback):
    def __init__(self):
        self.values = []

    def on_step_end(self, trainer, step, loss):
        self.values.append(loss.item())


class EarlyStopping(Callback):
    def __init__(self, history, patience):
        self.history = history
        self.patience = patience
        self.best = float("inf")
        self.waited = 0

    def on_epoch_end(self, trainer, epoch):
        last = self.history.values[-1]
        if last < self.best:
            self.best, self.waited = last, 0
        else:
            self.waited += 1
            trainer.stopped = self.waited >= self.patience


class Trainer:
    def __init__(self, model, callbacks, lr=0.05):
        self.device = xm.xla_device()
        self.model = model.to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr, momentum=0.9)
        self.callbacks = callbacks
        self.stopped = False
        self.averaged = [p.detach().clone() for p in self.model.parameters()]

    def update_average(self, decay=0.9):
        with torch.no_grad():
            for average, parameter in zip(self.averaged, self.model.parameters()):
                average.mul_(decay).add_(parameter, alpha=1 - decay)

    def fit(self, loader, epochs):
        step = 0
        for epoch in range(epochs):
            for x, y in loader:
                x = x.to(self.device)
                y = y.to(self.device)
                self.optimizer.zero_grad()
                with xp.Trace("forward"):
                    loss = nn.functional.mse_loss(self.model(x), y)
                loss.backward()
                self.optimizer.step()
                self.update_average()
                for callback in self.callbacks:
                    callback.on_step_end(self, step, loss)
                xm.mark_step()
                step += 1
            for callback in self.callbacks:
                callback.on_epoch_end(self, epoch)
            if self.stopped:
                break
        return step


def main():
    torch.manual_seed(2)
    x = torch.randn(48, 6)
    loader = DataLoader(TensorDataset(x, x.pow(2).sum(dim=1, keepdim=True)), batch_size=8)
    model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1))
    history = LossHistory()
    trainer = Trainer(model, [history, EarlyStopping(history, patience=1)])
    steps = trainer.fit(loader, epochs=3)
    return [steps, *history.values, *torch.stack([p.sum() for p in trainer.averaged]).tolist()]


if __name__ == "__main__":
    main()
