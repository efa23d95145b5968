"""A training loop through accelerate, as its users write it; torch_xla is only named to count graphs."""

import torch
import torch_xla.debug.metrics as met
from accelerate import Accelerator
from torch.utils.data import DataLoader


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 3)

    def forward(self, x):
        return self.layer(x)


def train(dataset, epochs):
    accelerator = Accelerator()
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    total = 0.0
    for epoch in range(epochs):
        for step, (inputs, target) in enumerate(loader):
            loss = torch.nn.functional.cross_entropy(model(inputs), target)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item()  # expect: XLA102
            if step % 100 == 0:
                accelerator.log({"loss": loss})  # expect: XLA102, XLA501 likely
        accelerator.save_model(model, "out")  # quiet: the loader has cut
        if accelerator.is_main_process:
            print("saved")
            accelerator.wait_for_everyone()  # expect: XLA502
    print(met.metrics_report())


def evaluate(model, loader):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    hits = []
    for inputs, target in loader:
        predictions = model(inputs).argmax(dim=-1)
        gathered = accelerator.gather_for_metrics(predictions)
        hits.append(gathered)
    return torch.cat(hits)
