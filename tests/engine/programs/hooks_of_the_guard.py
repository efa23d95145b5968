"""Writes down all that the guard hooks when it is entered."""

import torch.distributed.checkpoint  # noqa: F401

from xlalint_runtime.guarding import Guard
from xlalint_runtime.proving.leaving_out import leaving_out


def main() -> None:
    with leaving_out(None) as hooks, Guard():
        print(*hooks, sep="\n")


if __name__ == "__main__":
    main()
