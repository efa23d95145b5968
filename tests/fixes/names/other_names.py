"""What is imported already is used as it is called here."""

import torch_xla as xla
import torch_xla.core.xla_model as xm
from torch_xla import launch, runtime
from torch_xla.distributed.xla_multiprocessing import spawn

xm.mark_step()
xm.xrt_world_size()
spawn(print)
