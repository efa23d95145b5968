# ruff: noqa
# mypy: ignore-errors
"""What is compared is what a key function makes of the values."""

import torch
import torch_xla

device = torch_xla.device()


def best_index(model, candidates):
    scores = []
    for each in candidates:
        with torch.no_grad():
            scores.append(model(each.to(device)).sum())
    return max(range(len(scores)), key=lambda index: scores[index])  # expect: XLA103


def best_name(model, candidates):
    scores = {}
    for name, each in candidates.items():
        with torch.no_grad():
            scores[name] = model(each.to(device)).sum()
    return min(scores, key=scores.get)  # expect: XLA103


def ranked(model, candidates):
    scored = []
    for each in candidates:
        with torch.no_grad():
            scored.append((each, model(each.to(device)).sum()))
    return sorted(scored, key=lambda pair: pair[1])  # expect: XLA103


def by_number(model, candidates):
    scored = []
    for number, each in enumerate(candidates):
        with torch.no_grad():
            scored.append((model(each.to(device)).sum(), number))
    return max(scored, key=lambda pair: pair[1]), sorted(scored, key=lambda pair: pair[1])


def longest(model, candidates):
    with torch.no_grad():
        outputs = [model(each.to(device)) for each in candidates]
    torch_xla.sync()
    return max(outputs, key=len), sorted(outputs, key=lambda output: output.shape[0])


def main(candidates):
    model = torch.nn.Linear(4, 4).to(device)
    best_index(model, candidates)
    best_name(model, dict(enumerate(candidates)))
    ranked(model, candidates)
    by_number(model, candidates)
    longest(model, candidates)


if __name__ == "__main__":
    main([torch.randn(2, 4) for _ in range(4)])
