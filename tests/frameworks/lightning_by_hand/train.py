"""Trains one module or the other."""

import sys

import lightning as L
import torch_xla
from modules import Automatic, ByHand, OnOne, Unwrapped


def main(batches):
    if sys.argv[1] == "one":
        L.Trainer(accelerator="tpu", devices=1).fit(OnOne(), batches)
        return
    if sys.argv[1] == "unwrapped":
        L.Trainer(accelerator="tpu", devices=8).fit(Unwrapped(), batches)
        return
    module = ByHand() if sys.argv[1] == "hand" else Automatic()
    L.Trainer(accelerator="tpu", devices=8).fit(module, batches)


if __name__ == "__main__":
    main(sys.stdin)
