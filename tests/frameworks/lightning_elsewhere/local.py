"""A module that its own file trains on another device: nothing waits for a step there."""

import lightning as L
import torch


class TrainedOnThisMachine(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).sum()
        print(loss.item())
        return loss


def main():
    L.Trainer(accelerator="cpu", devices=1).fit(TrainedOnThisMachine())
