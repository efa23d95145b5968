# ruff: noqa
# mypy: ignore-errors
"""Who chooses between the function of torch_xla and that of torch takes the latter where there is no XLA."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


class Accelerator:
    def __init__(self, kind):
        self.kind = kind
        self.device = torch_xla.device()

    def save(self, what, path):
        (xm.save if self.kind == "xla" else torch.save)(what, path)

    def save_by_name(self, what, path):
        save = torch.save
        if self.kind == "xla":
            save = xm.save
        save(what, path)

    def save_for_all(self, what, path):
        torch.save(what, path)  # expect: XLA601


def main(kind):
    accelerator = Accelerator(kind)
    model = torch.nn.Linear(4, 4).to(accelerator.device)
    accelerator.save(model.state_dict(), "model.pt")
    accelerator.save_by_name(model.state_dict(), "model.pt")
    accelerator.save_for_all(model.state_dict(), "model.pt")


if __name__ == "__main__":
    import sys

    main(sys.argv[1])
