"""How many Python functions of ours one step calls, with models of 4 and of 40 modules.

The least of several steps: in some the report is written, which is done from time to time and not in each.
"""

import sys

import torch
import torch_xla

device = torch_xla.device()
STEPS = 10
FIRST_COUNTED = 4


def steps(depth):
    model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(depth)]).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    counted = []
    for number in range(STEPS):
        if number >= FIRST_COUNTED:
            calls.clear()
            sys.setprofile(count)
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(4, 8, device=device)).square().mean()
            loss.backward()
            optimizer.step()
        loss.item()
        sys.setprofile(None)
        if number >= FIRST_COUNTED:
            counted.append(len(calls))
    return min(counted)


def count(frame, event, _):
    if event == "call" and ("/xlalint_runtime/" in frame.f_code.co_filename or "/xlalint/" in frame.f_code.co_filename):
        calls.append(frame.f_code.co_name)


calls = []
print("calls:", steps(4), steps(40))
