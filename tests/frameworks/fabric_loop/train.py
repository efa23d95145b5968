"""A training loop through Fabric on TPUs; the graphs are counted with torch_xla."""

import torch
import torch_xla.debug.metrics as met
from lightning.fabric import Fabric
from torch.utils.data import DataLoader


def train(dataset, epochs):
    fabric = Fabric(accelerator="tpu", devices=8)
    fabric.launch()
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(dataset, batch_size=8, drop_last=True))
    for epoch in range(epochs):
        for inputs, target in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(inputs), target)
            fabric.backward(loss)
            fabric.clip_gradients(model, optimizer, max_norm=1.0)  # expect: XLA103, XLA508 likely
            fabric.print(loss)  # expect: XLA102, XLA501 likely
            optimizer.step()
            fabric.print(loss)  # quiet: the step of Fabric's optimizer has cut the graph
        fabric.clip_gradients(model, optimizer, max_norm=1.0, error_if_nonfinite=False)  # quiet: asks nothing
    print(met.metrics_report())


def evaluate(model, dataset):
    fabric = Fabric(accelerator="tpu", devices=8)
    model = fabric.setup(model)
    right = 0
    for inputs, target in fabric.setup_dataloaders(DataLoader(dataset, batch_size=8)):
        right += (model(inputs).argmax(dim=1) == target).sum()
    fabric.print(right)


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(5, 6)
        self.head = torch.nn.Linear(6, 5, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.embedding(tokens))


def train_apart(fabric, dataset):
    model = Tied()
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer = fabric.setup(model, optimizer)  # expect: XLA702
    for tokens in fabric.setup_dataloaders(DataLoader(dataset, batch_size=8, drop_last=True)):
        fabric.backward(model(tokens).square().mean())
        optimizer.step()
        optimizer.zero_grad()


def main(dataset):
    Fabric(accelerator="tpu").launch(train_apart, dataset)
