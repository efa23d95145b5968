"""What the engine itself refuses under `full_graph` is refused with the same words."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 1).to(device)


def step(batch):
    loss = model(batch).mean()
    return loss * loss.item()


try:
    torch_xla.compile(step, full_graph=True)(torch.randn(4, 8).to(device))
except RuntimeError as error:
    print("refused:", str(error).splitlines()[0])
