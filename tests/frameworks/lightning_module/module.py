"""Modules and callbacks for Lightning; the project says elsewhere that it runs on XLA."""

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback


class ReadsItsLoss(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)
        self.history = []

    def training_step(self, batch, batch_idx):
        inputs, target = batch
        loss = torch.nn.functional.cross_entropy(self.net(inputs), target)
        self.history.append(loss.item())  # expect: XLA102
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        inputs, target = batch
        right = (self.net(inputs).argmax(dim=1) == target).sum()
        self.log("right", right.item())  # quiet: nothing of it is left

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


class ReadsByItsLogger(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).sum()
        self.logger.experiment.add_scalar("loss", loss, batch_idx)  # expect: XLA102
        self.logger.log_metrics({"rate": 0.1}, batch_idx)  # quiet: no tensor
        return loss

    def validation_step(self, batch, batch_idx):
        loss = self.net(batch[0]).sum()
        self.logger.log_metrics({"loss": loss})  # quiet: nothing of it is left

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


class NamesItsLayers(L.LightningModule):
    def __init__(self, names):
        super().__init__()
        for name in names:
            setattr(self, name, torch.nn.Linear(6, 3))
        self.head = torch.nn.Linear(3, 3)

    def training_step(self, batch, batch_idx):
        loss = self.head(batch[0]).sum()
        self.logger.experiment.add_scalar("loss", loss)  # expect: XLA102 likely
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


class EndsItsSteps(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        return {"loss": self.net(batch[0]).sum()}

    def training_step_end(self, outputs):
        self.logger.log_metrics({"loss": outputs["loss"].mean()})  # expect: XLA102 likely
        return outputs

    def training_epoch_end(self, outputs):
        print(sum(output["loss"] for output in outputs).item())  # quiet: the last step has run

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


class Good(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        inputs, target = batch
        loss = torch.nn.functional.cross_entropy(self.net(inputs), target)
        self.log("loss", loss, prog_bar=True)
        return {"loss": loss}

    def validation_step(self, batch, batch_idx):
        inputs, target = batch
        self.log("loss", torch.nn.functional.cross_entropy(self.net(inputs), target))

    def on_train_epoch_end(self):
        print("done")


class Tied(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(6, 3)
        self.head = torch.nn.Linear(3, 6, bias=False)
        self.head.weight = self.embedding.weight

    def training_step(self, batch, batch_idx):
        return self.head(self.embedding(batch[0])).sum()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


class ByHand(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        optimizer.zero_grad()
        loss = self.net(batch[0]).sum()
        self.manual_backward(loss)
        optimizer.step()
        print(loss.item())  # quiet: the step has run


class PrintsLoss(Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        print(outputs.item())  # quiet: the step has run


def main(loader):
    trainer = L.Trainer(accelerator="tpu", devices=8)
    trainer.fit(ReadsItsLoss(), loader)
    trainer.fit(ReadsByItsLogger(), loader)
    trainer.fit(Tied(), loader)  # quiet: Lightning ties again what it has moved


class ByTwo(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.first, self.second = torch.nn.Linear(6, 3), torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        one, other = self.optimizers()
        for optimizer, net in ((one, self.first), (other, self.second)):
            optimizer.zero_grad()
            loss = net(batch[0]).sum()
            self.manual_backward(loss)
            optimizer.step()
            print(loss.item())  # quiet: the step has run
