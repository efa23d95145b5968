"""A trainer that is told so many cores as a name says; GPUs stand in a comment."""

import os

import pytorch_lightning as L

os.environ["XLA_USE_BF16"] = "1"  # expect: XLA003


def main(module, cores):
    L.Trainer(
        tpu_cores=cores,
        # gpus=2,
    ).fit(module)
