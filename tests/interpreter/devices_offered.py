"""An option that offers XLA among others: what is told holds where that is chosen."""

import argparse

import torch
import torch_xla


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", type=str, choices=["cpu", "cuda", "xla"], default="cpu")
    parser.add_argument("--other", type=str, choices=["cpu", "cuda"], default="cpu")
    return parser.parse_args()


def moved_after_the_optimizer():
    args = parse_args()
    device = torch.device(args.device)
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # expect: XLA701
    for _ in range(10):
        with torch_xla.step():
            model(torch.ones(4, 4, device=device)).mean().backward()
            optimizer.step()


def never_cut():
    args = parse_args()
    device = torch_xla.device() if args.device == "xla" else torch.device(args.device)
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):  # expect: XLA202
        loss = model(torch.ones(4, 4, device=device)).mean()
        loss.backward()
        optimizer.step()
        if args.device == "cuda":
            torch.cuda.synchronize()
        print(loss.item())


def cut_where_it_is_chosen():
    args = parse_args()
    device = torch.device(args.device)
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        loss = model(torch.ones(4, 4, device=device)).mean()
        loss.backward()
        optimizer.step()
        if args.device == "xla":
            torch_xla.sync()  # expect: XLA201
        print(loss.item())


def not_offered():
    args = parse_args()
    device = torch.device(args.other)
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)
    for _ in range(10):
        model(torch.ones(4, 4, device=device)).mean().backward()
        optimizer.step()
