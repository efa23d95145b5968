"""Rows of what has not run are asked one by one: each round runs all that makes them."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 8).to(device)


def best_of_each(x):
    for row in model(x.to(device)).softmax(-1):
        print(row.argmax().item())  # expect: XLA102


def beside_others(x, replies):
    while True:
        scores = model(x.to(device)).softmax(-1)
        for reply, row in zip(replies, scores):
            reply.put(torch.max(row).item())  # expect: XLA102


def numbered(x):
    for number, row in enumerate(model(x.to(device)).softmax(-1)):
        print(number, row[0].item())  # a known limit: what has no name is not followed


def after_the_step(x):
    scores = model(x.to(device)).softmax(-1)
    torch_xla.sync()
    for row in scores.tolist():
        print(max(row))


def other_work(x, rows):
    scores = model(x.to(device)).softmax(-1)
    for row in rows:
        print(row.max())
    return scores
