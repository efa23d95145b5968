"""A framework's trainer calls the criterion that a name in its registry stands for."""

import torch
import torch_xla
from fairseq import trainer
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    device = torch_xla.device()
    model = torch.nn.Linear(6, 3).to(device)
    dataset = TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,)))
    return trainer.Trainer(model, "cross_entropy").fit(DataLoader(dataset, batch_size=8), device)


if __name__ == "__main__":
    main()
