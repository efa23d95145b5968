# ruff: noqa
# mypy: ignore-errors
"""Each round of a loop lets go of what the one before recorded: a cut below it runs the last one again."""

import torch
import torch_xla


def evaluate(model, batches, device):
    total = 0.0
    for batch in batches:
        predicted = model(batch.to(device))
        total += predicted.square().mean().item()  # expect: XLA102
    torch_xla.sync()
    return total


def evaluate_twice(model, batches, device, targets):
    total, hits = 0.0, 0
    for batch in batches:
        predicted = model(batch.to(device))
        if batch.ndim > 1:
            left = predicted
        else:
            left = predicted[None]
        total += left.square().mean().item()  # expect: XLA102
        hits += (left.argmax(1) == targets).sum().item()  # expect: XLA102
    torch_xla.sync()
    return total, hits


def evaluate_and_gather(model, batches, device):
    total, mean = 0.0, 0.0
    for batch in batches:
        with torch.no_grad():
            predicted = model(batch.to(device))
        mean = mean + predicted.square().mean()
        total += predicted.mean().item()  # expect: XLA102
    torch_xla.sync()
    return total, mean


def generate(model, tokens, device):
    tokens = tokens.to(device)
    for _ in range(32):  # expect: XLA202
        following = model(tokens)[:, -1:].argmax(-1)
        tokens = torch.cat([tokens, following], 1)  # expect: XLA403
        if following.item() == 2:  # expect: XLA102
            break
    torch_xla.sync()
    return tokens


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    batches = [torch.randn(4, 8) for _ in range(8)]
    evaluate(model, batches, device)
    evaluate_twice(model, batches, device, torch.zeros(4, device=device))
    evaluate_and_gather(model, batches, device)
    generate(torch.nn.Sequential(torch.nn.Embedding(8, 8)).to(device), torch.zeros(1, 1), device)


main()
