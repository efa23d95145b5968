# ruff: noqa
# mypy: ignore-errors
"""A script ends: what it has read twice ran twice, and what it has read once, once."""

import torch
import torch_xla
from somewhere import questions

device = torch_xla.device()
model = torch.nn.Linear(4, 2).to(device)
model.eval()

for question in questions:
    with torch.no_grad():
        begins, ends = model(question.to(device))
        begin = torch.argmax(begins).item()  # expect: XLA102
        end = torch.argmax(ends).item()
    print(begin, end)

for question in questions:
    with torch.no_grad():
        answer = model(question.to(device))
    print(answer.tolist())
