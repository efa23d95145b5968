"""Distributions look at their parameters, and at values: within a step, and outside of one."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 3).to(device)
actions = torch.zeros(2, dtype=torch.long, device=device)
for _ in range(3):
    x = torch.ones(2, 4, device=device)
    with torch_xla.step():
        policy = torch.distributions.Categorical(logits=model(x))
        loss = -policy.log_prob(actions).mean()
        loss.backward()
for _ in range(3):
    noise = torch.distributions.Normal(model(torch.ones(2, 4, device=device)), 1.0)
    torch_xla.sync()
