# select: XLA101
# refused: does more with the step `step` than to call it
"""The step is made by a function and handed on: who else calls it is not seen."""

import torch
import torch_xla


def build_step(model, optimizer):
    @torch_xla.compile
    def train_step(batch):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        print(loss.item())

    return train_step


def run(steps, batches):
    for batch in batches:
        for step in steps:
            step(batch)


device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
step = build_step(model, torch.optim.SGD(model.parameters(), lr=0.1))
run([step], [torch.randn(2, 4, device=device) for _ in range(3)])
