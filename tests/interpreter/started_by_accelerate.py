# ruff: noqa
# mypy: ignore-errors
"""A framework that starts several replicas, which its name alone tells here."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from accelerate.utils import set_seed


def save(model):
    if xm.is_master_ordinal():
        xm.rendezvous("saved")  # expect: XLA502
