# ruff: noqa
# mypy: ignore-errors
"""What a tensor is told to be, or is made of, shows that it is a mask: how much that takes hangs on its numbers."""

import torch
import torch_xla

device = torch_xla.device()
network = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)
y = torch.ones(4, device=device)

for states in ([1, None], [None, 2]):
    with torch_xla.step():
        told = torch.tensor(tuple(map(lambda each: each is not None, states)), device=device, dtype=torch.bool)
        print(network(x)[told].shape)  # expect: XLA401
        made_of_comparisons = torch.tensor([each is not None for each in states], device=device)
        print(network(x)[made_of_comparisons].shape)  # expect: XLA401
        filled = torch.zeros(4, dtype=torch.bool, device=device)
        filled[1] = True
        print(network(x)[filled].shape)  # expect: XLA401
        print(network(x)[y.to(torch.bool)].shape)  # expect: XLA401
        print(network(x)[y.to(dtype=torch.bool)].shape)  # expect: XLA401
        print(network(x)[y.type(torch.bool)].shape)  # expect: XLA401
        of_numbers = torch.tensor([each or 3 for each in states], device=device)
        print(network(x)[of_numbers].shape)  # quiet: it takes as many as it has
        print(network(x)[(y > 0).to(torch.long)].shape)  # quiet: the same
        on_the_host = torch.tensor([each is not None for each in states])
        print(torch.randn(2)[on_the_host].shape)  # quiet: nothing is compiled there


def of_a_batch(batches):
    for states, done in batches:
        states, done = states.to(device), done.to(device)
        with torch_xla.step():
            alive = ~done
            values = torch.zeros(4, 4, device=device)
            values[alive] = network(states)[alive]  # expect: XLA401, XLA401
            chosen = torch.where(alive.unsqueeze(1), network(states), 0.0)
            turned = network(states)[-done]
            network(values + chosen + turned).sum().backward()
