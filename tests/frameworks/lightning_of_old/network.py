"""The module stands in a file of its own, and nothing imports torch_xla."""

import pytorch_lightning as pl
import torch


class Network(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)
        self.total = 0.0

    def training_step(self, batch, index):
        x, y = batch
        loss = torch.nn.functional.cross_entropy(self.linear(x), y)
        self.total += loss.item()  # expect: XLA102
        return loss

    def on_train_end(self):
        torch.save(self.state_dict(), "network.pt")  # expect: XLA601

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
