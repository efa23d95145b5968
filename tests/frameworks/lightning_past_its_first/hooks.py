"""Models that Lightning 2 trains not at all, for a method that it once called or a parameter that it gave."""

import lightning as L
import torch


class Measured(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)
        self.total = 0.0

    def training_step(self, batch, index):
        x, y = batch
        loss = torch.nn.functional.cross_entropy(self.linear(x), y)
        self.total += loss.item()  # expect: XLA102
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


class AtTheEnd(Measured):
    def training_epoch_end(self, outputs):
        print(torch.stack([each["loss"] for each in outputs]).mean())


class Validated(Measured):
    def validation_step(self, batch, index):
        return self.linear(batch[0])

    def validation_epoch_end(self, outputs):
        print(len(outputs))


class InTurn(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)
        self.total = 0.0

    def training_step(self, batch, index, optimizer_idx):
        loss = self.linear(batch[0]).mean()
        self.total += loss.item()  # expect: XLA102 likely
        return loss

    def configure_optimizers(self):
        return [torch.optim.Adam(self.parameters()), torch.optim.SGD(self.parameters())]


class Today(Measured):
    def on_train_epoch_end(self):
        print(self.total)


def with_outputs():
    network = AtTheEnd()
    L.Trainer(accelerator="tpu").fit(network)
    torch.save(torch.ones(2, device="xla"), "network.pt")  # expect: XLA601 likely


def with_outputs_of_validation():
    network = Validated()
    L.Trainer(accelerator="tpu").fit(network)
    torch.save(torch.ones(2, device="xla"), "network.pt")  # expect: XLA601 likely


def with_optimizers_in_turn():
    network = InTurn()
    L.Trainer(accelerator="tpu").fit(network)
    torch.save(torch.ones(2, device="xla"), "network.pt")  # expect: XLA601 likely


def as_today():
    network = Today()
    L.Trainer(accelerator="tpu").fit(network)
    torch.save(torch.ones(2, device="xla"), "network.pt")  # expect: XLA601
