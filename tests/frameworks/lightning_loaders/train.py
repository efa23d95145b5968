"""Loaders that Lightning goes over: handed to `fit`, made by a module or a data module, or prepared by Fabric."""

import lightning as L
import torch
import torch_xla
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.net(batch).sum()

    def validation_step(self, batch, batch_idx):
        self.log("loss", self.net(batch).sum())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class WithItsData(Classifier):
    def train_dataloader(self):
        return DataLoader(samples(), batch_size=8, shuffle=True)  # expect: XLA404 likely

    def val_dataloader(self):
        return DataLoader(samples(), batch_size=8)  # quiet: nothing is trained on it


class Texts(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(samples(), batch_size=8, drop_last=True, collate_fn=self.collate)

    def collate(self, rows):
        return pad_sequence(rows, batch_first=True)  # expect: XLA405 likely


def samples():
    return torch.load("samples.pt")


def handed_over():
    train = DataLoader(samples(), batch_size=8, shuffle=True)  # expect: XLA404 likely
    held_out = DataLoader(samples(), batch_size=8)
    L.Trainer(accelerator="tpu", devices=8).fit(Classifier(), train, held_out)


def whole_batches():
    train = DataLoader(samples(), batch_size=8, shuffle=True, drop_last=True)
    L.Trainer(accelerator="tpu").fit(Classifier(), train)


def of_a_data_module():
    L.Trainer(accelerator="tpu").fit(Classifier(), datamodule=Texts())


def elsewhere():
    train = DataLoader(samples(), batch_size=8, shuffle=True)
    L.Trainer(accelerator="gpu").fit(Classifier(), train)


def by_fabric():
    fabric = L.Fabric(accelerator="tpu", devices=8)
    model = torch.nn.Linear(4, 1)
    model, optimizer = fabric.setup(model, torch.optim.SGD(model.parameters(), lr=0.1))
    loader = fabric.setup_dataloaders(DataLoader(samples(), batch_size=8, shuffle=True))  # expect: XLA404 likely
    for batch in loader:
        optimizer.zero_grad()
        fabric.backward(model(batch).sum())
        optimizer.step()


if __name__ == "__main__":
    print(torch_xla.__version__)
    handed_over()
    whole_batches()
    of_a_data_module()
    L.Trainer(accelerator="tpu").fit(WithItsData())
    elsewhere()
    by_fabric()
