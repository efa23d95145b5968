# ruff: noqa
# mypy: ignore-errors
"""A script sets a name to None and imports it where the device asks for it: it is the module from there on."""

import sys

import torch
import torch_xla

device_type = sys.argv[1]
xm = None
if device_type == "xla":
    import torch_xla.core.xla_model as xm

if device_type == "cuda":
    synchronize = torch.cuda.synchronize
elif device_type == "xla":
    synchronize = xm.mark_step  # expect: XLA002
else:

    def synchronize():
        return None


device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.1)

for step in range(100):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 4).to(device)).mean()
    loss.backward()
    optimizer.step()
    synchronize()  # expect: XLA201
    print(loss.item())

for step in range(100):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 4).to(device)).mean()
    print(loss.item())  # expect: XLA102
    loss.backward()
    optimizer.step()
    xm.mark_step()  # expect: XLA002, XLA201

for step in range(100):  # expect: XLA202
    optimizer.zero_grad()
    loss = model(torch.randn(4, 4).to(device)).mean()
    print(loss.item())
    loss.backward()
    optimizer.step()

math = None
for step in range(100):  # expect: XLA202
    optimizer.zero_grad()
    loss = model(torch.randn(4, 4).to(device)).mean()
    print(loss.item())
    loss.backward()
    optimizer.step()
    if math is not None:
        math.sync()
