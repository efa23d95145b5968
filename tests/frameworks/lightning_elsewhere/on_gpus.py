"""A trainer that is told to use GPUs as before there were accelerators: no variable of torch_xla matters."""

import os

import pytorch_lightning as L
import torch

os.environ["XLA_USE_BF16"] = "1"


class TrainedOnGpus(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).sum()
        print(loss.item())
        return loss


def main():
    L.Trainer(
        # tpu_cores=cores,
        gpus=2,
    ).fit(TrainedOnGpus())
