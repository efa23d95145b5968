# ruff: noqa
# mypy: ignore-errors
"""A module of torch_xla itself, which knows what it reads, and may still set what is gone."""

import os

os.environ["XLA_USE_SPMD"] = "1"
os.environ["XRT_WORKERS"] = "localservice:0"  # expect: XLA003
