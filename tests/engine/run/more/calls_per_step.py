"""How many Python functions of ours one step calls, with models of 4 and of 40 modules."""

import sys

import torch
import torch_xla

device = torch_xla.device()


def steps(depth):
    model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(depth)]).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for number in range(5):
        if number == 4:
            sys.setprofile(count)
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(4, 8, device=device)).square().mean()
            loss.backward()
            optimizer.step()
        loss.item()
        sys.setprofile(None)


def count(frame, event, _):
    if event == "call" and ("/xlalint_runtime/" in frame.f_code.co_filename or "/xlalint/" in frame.f_code.co_filename):
        calls[depth] += 1


calls = {4: 0, 40: 0}
for depth in calls:
    steps(depth)
print("calls:", *calls.values())
