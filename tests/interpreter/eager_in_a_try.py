# ruff: noqa
# mypy: ignore-errors
"""What turns eager mode on in a `try` does so: its handler is for releases that cannot."""

import torch
import torch_xla

try:
    import torch_xla.experimental as experimental

    experimental.eager_mode(True)
except Exception as error:
    print("lazy", error)

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(100):  # expect: XLA210
    optimizer.zero_grad()
    loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
    torch_xla.sync()
