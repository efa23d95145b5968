# ruff: noqa
# mypy: ignore-errors
"""What is made of a mask by copying, moving and viewing its elements is one: it takes as much as the numbers say."""

import torch
import torch_xla

device = torch_xla.device()
network = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)
order = torch.arange(4, device=device).expand(4, 4).contiguous()
torch_xla.sync()

for _ in range(3):
    with torch_xla.step():
        scores = network(x)
        beyond = scores > 0.5
        beyond[..., 1:] = beyond[..., :-1].clone()
        beyond[..., 0] = 0
        put_back = beyond.scatter(1, order, beyond)
        scores[put_back] = -1.0  # expect: XLA401
        print(scores[beyond.clone()].shape)  # expect: XLA401
        print(scores[beyond.t().contiguous()].shape)  # expect: XLA401
        print(scores[beyond.reshape(4, 4)].shape)  # expect: XLA401
        print(scores[beyond.long()[0]].shape)  # quiet: numbers of rows, as many as there are
        print(scores[order.clone()].shape)  # quiet: the same
        print(scores[beyond.clone().sum(0).clamp(max=3)].shape)  # quiet: sums are no mask
        scores.masked_fill_(put_back, -1.0)  # quiet: the shape is kept
