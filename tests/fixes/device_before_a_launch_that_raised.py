# select: XLA001, XLA509, XLA510
"""The world is asked for before a launch that raised by itself: that the device is too early is no reason to leave it."""

import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp

replicas = xm.xrt_world_size()


def train(index):
    print(index, "of", replicas)


if __name__ == "__main__":
    xmp.spawn(train, nprocs=8)
