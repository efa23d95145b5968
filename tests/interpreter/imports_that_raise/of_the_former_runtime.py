# ruff: noqa
# mypy: ignore-errors
"""What it takes of torch_xla is private, and went with the runtime before PJRT."""

import os

from torch_xla.distributed.xla_multiprocessing import _setup_workers  # expect: XLA001


def set_up(workers):
    os.environ["XRT_WORKERS"] = "|".join(workers)  # expect: XLA003 likely
    _setup_workers(8)  # expect: XLA001
