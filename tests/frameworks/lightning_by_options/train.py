"""Which devices it trains on is an option, which names those of XLA by itself."""

from argparse import ArgumentParser

import pytorch_lightning as pl
import torch


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        loss = self.net(batch[0]).sum()
        optimizer.zero_grad()
        self.manual_backward(loss)
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)  # expect: XLA508
        optimizer.step()


def main():
    parser = ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--accelerator", type=str, default="tpu", help="such as gpu (or cpu)")
    args = parser.parse_args()
    pl.Trainer(accelerator=args.accelerator, devices=8, max_epochs=args.epochs).fit(Model(), [torch.randn(4, 6)])


if __name__ == "__main__":
    main()
