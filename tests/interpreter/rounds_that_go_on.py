# ruff: noqa
# mypy: ignore-errors
"""Rounds of a loop that go on with what the one before has recorded, and read what comes of it; nothing cuts."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 8).to(device).eval()
head = torch.nn.Linear(8, 1).to(device).eval()


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.key = torch.nn.Linear(8, 8)

    def forward(self, x, past=None):
        key = self.key(x)
        if past is not None:
            key = torch.cat([past, key], dim=1)  # expect: XLA403
        return key.softmax(-1) @ key.transpose(1, 2), key


@torch.no_grad()
def with_a_cache(layer, x):
    past = None
    for _ in range(8):  # expect: XLA202
        x, past = layer(x, past)
        x = x[:, -1:, :8]
        if x.amax().item() > 3:
            break
    return x


@torch.no_grad()
def by_another_name(state):
    while True:  # expect: XLA202
        following = model(state)
        change = (following - state).norm()
        state = following
        if change.item() < 1e-3:
            break
    return state


@torch.no_grad()
def read_now_and_then(state, steps):
    for step in range(steps):  # expect: XLA202
        state = model(state)
        if step % 10 == 0:
            print(head(state).item())
    return state


@torch.no_grad()
def read_below(state, steps):
    for _ in range(steps):
        state = model(state)
    print(state.norm().item())


@torch.no_grad()
def each_by_itself(inputs):
    state, most = None, 0.0
    for each in inputs:
        state = model(each.to(device))
        most = max(most, head(state).item())
    return most


@torch.no_grad()
def read_a_round_later(inputs):
    state = model(torch.randn(1, 8, device=device))
    for each in inputs:
        print(state.norm().item())
        state = model(each.to(device))
    return state


@torch.no_grad()
def copied_and_then_bound_anew(inputs):
    state = model(torch.randn(1, 8, device=device))
    for each in inputs:
        found = model(each.to(device))
        last = state
        last = found.mean()
        print(last.item())
        state = last
    return state


@torch.no_grad()
def by_two_names(state, steps):
    for _ in range(steps):  # expect: XLA202
        last = state
        state = model(last)
        if state.norm().item() < 1e-3:
            state = state * 2
    return state


@torch.no_grad()
def by_a_number(first, steps):
    number = first
    for _ in range(steps):
        state = model(torch.full((1, 8), number, device=device))
        number = state.mean().item()
    return number


@torch.no_grad()
def something_else_is_read(state, others):
    for each in others:
        state = model(state)
        score = head(each.to(device))
        print(score.item())
    return state


@torch.no_grad()
def in_steps(state, steps):
    for _ in range(steps):
        with torch_xla.step():
            state = model(state)
        print(state.mean().item())  # expect: XLA212


class Unrolled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.Linear(8, 8)

    def forward(self, state):
        for _ in range(4):
            state = self.cell(state)
            if state.norm().item() < 1e-3:
                break
        return state


def main():
    torch_xla.manual_seed(0)
    state = torch.randn(1, 1, 8, device=device)
    with_a_cache(Attention().to(device), state)
    by_another_name(state)
    read_now_and_then(state, 40)
    read_below(state, 4)
    batches = [torch.randn(1, 8) for _ in range(8)]
    each_by_itself(batches)
    read_a_round_later(batches)
    copied_and_then_bound_anew(batches)
    by_two_names(torch.randn(1, 8, device=device), 8)
    by_a_number(0.5, 8)
    something_else_is_read(state, batches)
    in_steps(state, 8)
    Unrolled().to(device).eval()(state)


main()
