# ruff: noqa
# mypy: ignore-errors
"""Such a name where it may never be used."""

import os
import sys

import torch_xla

if len(sys.argv) > 2:
    print(letter)
for argument in sys.argv[3:]:
    print(letter)
shown = lambda: letter
shown_each = [number for number in sys.argv]

os.environ["XRT_WORKERS"] = "localservice:0"  # expect: XLA003
