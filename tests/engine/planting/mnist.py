"""Digits, in the shape of torch_xla's MNIST example: step scopes, an evaluation after each epoch."""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, TensorDataset


class Digits(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(1, 4, 3)
        self.second = torch.nn.Linear(4 * 6 * 6, 10)

    def forward(self, images):  # zone: hidden
        hidden = F.relu(self.first(images))
        return F.log_softmax(self.second(hidden.flatten(1)), dim=1)


def train(model, loader, optimizer):
    model.train()
    for images, labels in loader:
        with torch_xla.step():  # zone: loss
            optimizer.zero_grad()
            scores = model(images)
            loss = F.nll_loss(scores, labels)
            loss.backward()
            optimizer.step()


def evaluate(model, loader, device):
    model.eval()
    right = torch.zeros((), device=device)
    for images, labels in loader:
        with torch.no_grad(), torch_xla.step():  # zone: hits
            scores = model(images)
            hits = scores.argmax(1).eq(labels).sum()
            right = right + hits
    return right.item()


def main():
    torch.manual_seed(0)
    device = torch_xla.device()
    data = TensorDataset(torch.randn(32, 1, 8, 8), torch.randint(0, 10, (32,)))
    loader = pl.MpDeviceLoader(DataLoader(data, batch_size=8), device)
    model = Digits().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5)
    for _ in range(2):
        train(model, loader, optimizer)
        print(evaluate(model, loader, device))


main()
