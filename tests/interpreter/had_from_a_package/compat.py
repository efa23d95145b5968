# ruff: noqa
# mypy: ignore-errors
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
