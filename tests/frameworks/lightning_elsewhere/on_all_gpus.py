"""A trainer that is told to use as many GPUs as there are: none of its work is on XLA."""

import os

import pytorch_lightning as L
import torch

os.environ["XLA_USE_BF16"] = "1"


class TrainedOnAllGpus(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).sum()
        print(loss.item())
        return loss


def main():
    several = torch.cuda.device_count()
    L.Trainer(gpus=several, strategy="ddp" if several > 1 else None).fit(TrainedOnAllGpus())
