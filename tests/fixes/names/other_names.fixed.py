"""What is imported already is used as it is called here."""

import torch_xla as xla
from torch_xla import launch, runtime

xla.sync()
runtime.world_size()
launch(print)
