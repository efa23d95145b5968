"""Fabric shards a model: its backward passes sum the gradients, and clipping knows of the parts."""

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import XLAFSDPStrategy


def train(dataset):
    fabric = Fabric(accelerator="tpu", devices=8, strategy=XLAFSDPStrategy(state_dict_type="full"))
    fabric.launch()
    model = fabric.setup_module(torch.nn.Linear(6, 3))
    optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters(), lr=1e-3))
    loader = torch.utils.data.DataLoader(dataset, batch_size=8, drop_last=True)
    for inputs, target in fabric.setup_dataloaders(loader):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), target)
        fabric.backward(loss)
        fabric.clip_gradients(model, optimizer, max_norm=1.0)
        optimizer.step()
        fabric.print(loss)  # quiet: its step has cut the graph
