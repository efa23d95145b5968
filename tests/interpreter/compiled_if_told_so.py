# ruff: noqa
# mypy: ignore-errors
"""A model that is compiled only where an option that is off by default says so, is one only there."""

import argparse

import torch
import torch_xla


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--dynamo", action=argparse.BooleanOptionalAction, default=True)
    args = parser.parse_args()
    device = torch_xla.device()
    x = torch.ones(4, 4, device=device)
    by_option = torch.nn.Linear(4, 4).to(device)
    if args.compile and hasattr(torch, "compile"):
        by_option = torch.compile(by_option)  # expect: XLA809 likely
    by_option(x)
    by_default = torch.nn.Linear(4, 4).to(device)
    if args.dynamo:
        by_default = torch.compile(by_default)  # expect: XLA809
    by_default(x)
    unless_asked = torch.nn.Linear(4, 4).to(device)
    if not args.compile:
        unless_asked = torch.compile(unless_asked)  # expect: XLA809
    unless_asked(x)
    in_any_case = torch.compile(torch.nn.Linear(4, 4).to(device))  # expect: XLA809
    in_any_case(x)


main()
