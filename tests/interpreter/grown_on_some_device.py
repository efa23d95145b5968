# ruff: noqa
# mypy: ignore-errors
"""What is put together of tensors is one, whatever these were: that it grows rests on its device alone."""

import torch
import torch_xla.core.xla_model as xm


def of_a_copy(model, inputs, device, steps):
    inputs = {name: given.to(device) for name, given in inputs.items()}
    ids = inputs["input_ids"].clone()
    for _ in range(steps):
        token = model(ids)[:, -1:].argmax(-1)
        xm.mark_step()  # expect: XLA002
        ids = torch.cat([ids, token], dim=-1)  # expect: XLA403 likely
    return ids


def of_what_was_stacked(model, first, second, device, steps):
    rows = torch.stack([first.to(device), second.to(device)])
    for _ in range(steps):
        token = model(rows)[:, -1:].argmax(-1)
        xm.mark_step()  # expect: XLA002
        rows = torch.cat((rows, token), dim=-1)  # expect: XLA403 likely
    return rows


def of_the_same_in_each_round(model, inputs, device, steps):
    inputs = {name: given.to(device) for name, given in inputs.items()}
    ids = inputs["input_ids"].clone()
    for _ in range(steps):
        token = model(ids)[:, -1:].argmax(-1)
        xm.mark_step()  # expect: XLA002
        longer = torch.cat([ids, token], dim=-1)
        print(longer.shape)
    return ids


def of_what_a_call_returns(model, build, device, steps):
    ids = build(torch.zeros(1, 1, device=device))
    for _ in range(steps):
        token = model(ids)[:, -1:].argmax(-1)
        xm.mark_step()  # expect: XLA002
        ids = torch.cat([ids, token], dim=-1)
    return ids
