# ruff: noqa
# mypy: ignore-errors
import torch_xla.experimental as experimental

try:
    experimental.eager_mode(True)
except Exception as error:
    print("lazy", error)

STEPS = 100
