"""Modules whose trainer is told the device by its user."""

import lightning as L
import torch


class TrainedAnywhere(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).sum()
        print(loss.item())  # expect: XLA102 likely
        return loss


class ReadsNowAndThen(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).sum()
        if batch_idx % 50 == 0:
            print(loss.item())  # expect: XLA102 likely info
        return loss


def main(args):
    L.Trainer(accelerator=args.accelerator).fit(TrainedAnywhere())
    L.Trainer(accelerator=args.accelerator).fit(ReadsNowAndThen())
