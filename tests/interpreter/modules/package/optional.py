# ruff: noqa
# mypy: ignore-errors
try:
    import torch_xla.core.xla_model as xm
    from torch_xla import sync

    HAS_XLA = True
except ImportError:
    xm = None
    HAS_XLA = False
