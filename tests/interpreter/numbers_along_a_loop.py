# ruff: noqa
# mypy: ignore-errors
"""A loop over the numbers of one tensor reads them one by one, as a list of its reads would."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
loader = pl.MpDeviceLoader([], device)


def by_class(right, total):
    for images, labels in loader:
        correct = model(images).argmax(dim=1) == labels
        torch_xla.sync()
        for i in range(4):
            right[i] += correct[i].item()  # expect: XLA104
            total[i] += 1


def two_dimensions(found):
    for images, labels in loader:
        scores = model(images).softmax(dim=1)
        torch_xla.sync()
        for row in range(4):
            for column in range(4):
                found.append(scores[row, column].item())  # expect: XLA104


def read_before(right):
    for images, labels in loader:
        correct = model(images).argmax(dim=1) == labels
        torch_xla.sync()  # expect: XLA201
        correct = correct.cpu()
        for i in range(4):
            right[i] += correct[i].item()


def another_tensor_in_each_round(found):
    for images, labels in loader:
        for i in range(4):
            scores = model(images).softmax(dim=1)
            torch_xla.sync()
            found.append(scores[i].item())  # expect: XLA402


def always_the_same(found):
    for images, labels in loader:
        scores = model(images).softmax(dim=1)
        torch_xla.sync()
        for i in range(4):
            found.append(i)
        found.append(scores[0].item())


def one_for_each_batch(weights, found):
    weights = weights.to(device)
    for i, (images, labels) in enumerate(loader):
        model(images)
        found.append(weights[i].item())


def two_tensors(found):
    for images, labels in loader:
        scores = model(images).softmax(dim=1)
        best = scores.argmax(dim=1)
        torch_xla.sync()
        for i in range(4):
            score = scores[i, 0].item()  # expect: XLA104
            label = best[i].item()
            found.append((score, label))


CLASSES = ["road", "car", "sky", "tree"]


def numbered_names(found):
    for images, labels in loader:
        scores = model(images).softmax(dim=1).sum(dim=0)
        torch_xla.sync()
        for i, name in enumerate(CLASSES):
            found[name] = scores[i].item()  # expect: XLA104


def numbered_batches(weights, batches, found):
    weights = weights.to(device)
    for i, (images, labels) in enumerate(batches):
        model(images.to(device))
        torch_xla.sync()
        found.append(weights[i].item())


class Confusion:
    def __init__(self):
        self.matrix = torch.zeros(4, 4, device=device)

    def update(self, right):
        self.matrix += right

    def shares(self):
        shares = {}
        for i, name in enumerate(CLASSES):
            shares[name] = self.matrix[i, i].item()  # expect: XLA104
        return shares

    def shares_at_once(self):
        return dict(zip(CLASSES, self.matrix.diagonal().tolist()))


def evaluate(epochs):
    for epoch in range(epochs):
        confusion = Confusion()
        for images, labels in loader:
            confusion.update(model(images).sum())
        print(confusion.shares(), confusion.shares_at_once())


evaluate(2)
