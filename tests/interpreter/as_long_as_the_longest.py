# ruff: noqa
# mypy: ignore-errors
"""Prompts that a loop fills up by hand to the longest of each batch."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Embedding(100, 4).to(device)


def by_rounds(prompts):
    for start in range(0, len(prompts), 8):
        rows = prompts[start : start + 8]
        longest = max(len(row) for row in rows)
        ids = torch.zeros(len(rows), longest, dtype=torch.long)  # expect: XLA405 likely
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row)
        with torch_xla.step():
            model(ids.to(device))


def of_requests(requests):
    while True:
        batch = requests.get()
        width = min(max(map(len, batch)), 512)
        with torch_xla.step():
            model(torch.full((8, width), 1, device=device))  # expect: XLA405 likely


# Good


def in_buckets(prompts):
    for start in range(0, len(prompts), 8):
        rows = prompts[start : start + 8]
        longest = -(-max(len(row) for row in rows) // 128) * 128
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        with torch_xla.step():
            model(ids.to(device))


def bucket(length):
    return next(size for size in (32, 64, 128) if size >= length)


def in_named_buckets(prompts):
    for start in range(0, len(prompts), 8):
        rows = prompts[start : start + 8]
        ids = torch.zeros(len(rows), bucket(max(len(row) for row in rows)), dtype=torch.long)
        with torch_xla.step():
            model(ids.to(device))


def to_the_longest_of_all(prompts):
    longest = max(len(row) for row in prompts)
    for start in range(0, len(prompts), 8):
        ids = torch.zeros(8, longest, dtype=torch.long)
        with torch_xla.step():
            model(ids.to(device))


def on_the_host(prompts):
    for rows in prompts:
        longest = max(len(row) for row in rows)
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        print(ids.sum())


def one_batch(rows):
    longest = max(len(row) for row in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    for _ in range(10):
        with torch_xla.step():
            model(ids.to(device))
