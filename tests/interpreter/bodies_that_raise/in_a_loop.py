# ruff: noqa
# mypy: ignore-errors
"""The body of the program uses a name that nothing binds: what it sets below helps and harms nobody."""

import os

import torch_xla

names = ""
for i in range(8):
    names += letter

os.environ["XRT_WORKERS"] = "localservice:0"  # expect: XLA003 likely
