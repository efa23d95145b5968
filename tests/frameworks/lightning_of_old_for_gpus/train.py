"""An option may say so, and the one for TPUs is not given."""

import argparse

import pytorch_lightning as pl
from network import Network

parser = argparse.ArgumentParser()
parser.add_argument("--gpus", type=int, default=1)
parser.add_argument("--cores", type=int, default=None)
options = parser.parse_args()
trainer = pl.Trainer(gpus=options.gpus, tpu_cores=options.cores, max_epochs=2)
trainer.fit(Network())
