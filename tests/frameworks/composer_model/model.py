"""Models for composer; the project says elsewhere that it runs on XLA."""

import torch
from composer.models import ComposerClassifier, ComposerModel, HuggingFaceModel


class ReadsItsLoss(ComposerModel):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def forward(self, batch):
        inputs, _ = batch
        return self.net(inputs)

    def loss(self, outputs, batch):
        _, target = batch
        loss = torch.nn.functional.cross_entropy(outputs, target)
        print(loss.item())  # expect: XLA102 likely
        return loss


class Good(ComposerModel):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def forward(self, batch):
        inputs, _ = batch
        return self.net(inputs)

    def loss(self, outputs, batch):
        _, target = batch
        return torch.nn.functional.cross_entropy(outputs, target)


class Keyword(ComposerModel):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)
        self.names = ["inputs"]

    def forward(self, batch):
        known = {
            name: value for name, value in batch.items() if name in self.names
        }  # quiet: names are no tensors
        return self.net(**known)


class Wrapped(HuggingFaceModel):
    def loss(self, outputs, batch):
        loss = super().loss(outputs, batch)
        print(loss.item())  # expect: XLA102 likely
        return 2 * loss


class Classifies(ComposerClassifier):
    def loss(self, outputs, batch):
        loss = super().loss(outputs, batch)
        self.last = loss.detach()  # quiet: nobody reads it in the step
        return loss
