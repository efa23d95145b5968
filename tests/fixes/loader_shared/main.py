"""The loader is handed on to functions of another file: some train with it, and some evaluate."""

import torch
from torch.utils.data import DataLoader, TensorDataset

import loops
from loops import Trainer


def main():
    model = torch.nn.Linear(4, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(10, 4)), batch_size=4)
    trainer = Trainer(model, optimizer)
    trainer.train_epoch(loader)
    print(loops.evaluate(model, loader))


main()
