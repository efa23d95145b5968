"""How a `Trainer` was told to train on TPUs before it had accelerators."""

import pytorch_lightning as pl
from network import Network

trainer = pl.Trainer(tpu_cores=8, max_epochs=2)
trainer.fit(Network())
