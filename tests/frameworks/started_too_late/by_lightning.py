"""Modules that step by what Lightning has not wrapped, in replicas of which one is started too late."""

import lightning as L
import torch
import torch_xla
from torch.utils.data import DataLoader


class ByHand(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.network = torch.nn.Linear(8, 1)

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(self.network(batch).sum())
        optimizer.optimizer.step()  # expect: XLA506


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(torch.load("rows.pt"), batch_size=8, shuffle=True)  # expect: XLA404 likely


class Automatic(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = torch.nn.Linear(8, 1)

    def training_step(self, batch, batch_idx):
        return self.network(batch).sum()


class OnOne(ByHand):
    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers(use_pl_optimizer=False)
        self.manual_backward(self.network(batch).sum())
        optimizer.step()  # quiet: there is one

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def with_fabric(fabric, rate):
    model = fabric.setup_module(torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for batch in fabric.setup_dataloaders(DataLoader(torch.load("rows.pt"), batch_size=8, drop_last=True)):
        optimizer.zero_grad()
        fabric.backward(model(batch).sum())
        optimizer.step()  # expect: XLA506


def main():
    L.Trainer(accelerator="tpu", devices=8).fit(ByHand(), Data())
    model = Automatic()
    L.Trainer(accelerator="tpu", devices=8).fit(model, Data())
    torch.save(model.state_dict(), "model.pt")  # quiet: it is back on the host
    L.Fabric(accelerator="tpu", devices=8).launch(with_fabric, 0.1)


def asks_before():
    print("on", torch_xla.device())  # expect: XLA509
    L.Trainer(accelerator="tpu", devices=8).fit(Automatic(), [torch.randn(4, 8)])


def in_processes_that_are_there(strategy):
    print("on", torch_xla.device())  # quiet: a strategy of one's own may start none
    L.Trainer(strategy=strategy).fit(Automatic(), [torch.randn(4, 8)])


def on_one():
    L.Trainer(accelerator="tpu", devices=1).fit(OnOne(), Data())


if __name__ == "__main__":
    main()
    asks_before()
    in_processes_that_are_there(torch.load("strategy.pt"))
    on_one()
