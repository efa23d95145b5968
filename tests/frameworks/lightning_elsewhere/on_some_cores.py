"""A number that is one of cores by now: GPUs are counted for another name."""

import os

import pytorch_lightning as L
import torch

os.environ["XLA_USE_BF16"] = "1"  # expect: XLA003


def main(module, several):
    most = torch.cuda.device_count()
    L.Trainer(gpus=several, max_epochs=most).fit(module)
