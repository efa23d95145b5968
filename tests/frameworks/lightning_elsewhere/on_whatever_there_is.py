"""A trainer that is told no device: a variable of torch_xla matters where it takes one of XLA."""

import os

import pytorch_lightning as L

os.environ["XLA_USE_BF16"] = "1"  # expect: XLA003 likely
os.environ["XRT_WORKERS"] = "localservice:0"  # expect: XLA003


def main(module):
    L.Trainer(
        # tpu_cores=8,
        max_epochs=3,
    ).fit(module)
