# ruff: noqa
# mypy: ignore-errors
"""What `__init__` leaves as None is there once another method has set it up, and a test for it passes."""

import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


def exists(value):
    return value is not None


class Training:
    def __init__(self):
        self.device = torch_xla.device()
        self.model = torch.nn.Linear(4, 1).to(self.device)
        self.loader = None

    def set_up(self):
        self.loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)

    def fit(self):
        if self.loader is None:
            raise ValueError("nothing is set up")
        for (batch,) in self.loader:
            with torch_xla.step():
                loss = self.model(batch.to(self.device)).mean()
                print(loss.item())  # expect: XLA101

    def fit_surely(self):
        assert exists(self.loader), "nothing is set up"
        for (batch,) in self.loader:
            with torch_xla.step():
                loss = self.model(batch.to(self.device)).mean()
                print(loss.item())  # expect: XLA101


class NeverSetUp(Training):
    def fit_in_vain(self):
        assert exists(self.loader), "nothing is set up"
        with torch_xla.step():
            print(self.model(torch.zeros(1, 4, device=self.device)).mean().item())  # quiet: nobody gets here


def main():
    training = Training()
    training.set_up()
    training.fit()
    training.fit_surely()
    NeverSetUp().fit_in_vain()


if __name__ == "__main__":
    main()
