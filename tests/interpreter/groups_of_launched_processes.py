# ruff: noqa
# mypy: ignore-errors
"""A process group that only launched functions join: the script itself is one process, whoever it starts."""

import torch.distributed as dist
import torch_xla
import torch_xla.distributed.xla_multiprocessing as xmp


def join():
    dist.init_process_group("xla", init_method="xla://")


def train(index):
    join()
    print(torch_xla.device())


if __name__ == "__main__":
    print("on", torch_xla.device())  # expect: XLA509
    xmp.spawn(train)  # holds: replicas.launched = False  # expect: XLA002
