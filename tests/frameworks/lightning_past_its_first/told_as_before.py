"""A `Trainer` that gets what none takes any more which works with torch_xla 2.9: nothing trains."""

import argparse

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

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


def on_cores():
    network = Network()
    pl.Trainer(tpu_cores=8, max_epochs=2).fit(network)
    torch.save(torch.ones(2, device="xla"), "network.pt")  # expect: XLA601 likely


def with_a_callback(**settings):
    network = Network()
    pl.Trainer(accelerator="tpu", checkpoint_callback=False, **settings).fit(network)
    torch.save(torch.ones(2, device="xla"), "network.pt")  # expect: XLA601 likely


def by_options():
    network = Network()
    parser = pl.Trainer.add_argparse_args(argparse.ArgumentParser())
    trainer = pl.Trainer.from_argparse_args(parser.parse_args())
    trainer.fit(network)
    torch.save(torch.ones(2, device="xla"), "network.pt")  # expect: XLA601 likely


def as_today():
    network = Network()
    pl.Trainer(accelerator="tpu", devices=8, max_epochs=2, enable_checkpointing=False).fit(network)
    torch.save(torch.ones(2, device="xla"), "network.pt")  # expect: XLA601

