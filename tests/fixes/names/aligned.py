"""Arguments stand below the first one, and a name in prose keeps no import."""

import torch_xla
import torch_xla.distributed.xla_multiprocessing as xmp


def train(index, flags):
    print("Before xmp.spawn call", index, flags)


xmp.spawn(train, args=({},),
          start_method="spawn")
