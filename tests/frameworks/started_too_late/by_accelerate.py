"""A notebook that makes an accelerator before it starts the replicas; the variable says what it runs on."""

import os

import torch
from accelerate import Accelerator, notebook_launcher
from torch.utils.data import DataLoader


def train(rate, dataset):
    accelerator = Accelerator()
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    loader = DataLoader(dataset, batch_size=8, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for inputs, target in loader:
        optimizer.zero_grad()
        accelerator.backward(torch.nn.functional.mse_loss(model(inputs), target))
        optimizer.step()


def main(dataset):
    accelerator = Accelerator()  # expect: XLA509
    accelerator.print("training on", accelerator.device)
    notebook_launcher(train, (0.1, dataset), num_processes=8)


if __name__ == "__main__":
    os.environ.setdefault("PJRT_DEVICE", "TPU")
    main(torch.load("dataset.pt"))
