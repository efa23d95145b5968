# ruff: noqa
# mypy: ignore-errors
"""What stands beside a tensor, in a list, in another branch or as an index, is one, too."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from somewhere import layers


def answers(model, tokenizer, prompt, length):
    ids = tokenizer(prompt, return_tensors="pt").input_ids.to(torch_xla.device())
    for _ in range(length):
        token = model(ids).logits[:, -1].argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, token], dim=1)  # expect: XLA403 likely
        torch_xla.sync()  # expect: XLA201


def within_a_window(model, token, length, window):
    cache = torch.zeros(1, 1, device=torch_xla.device())
    for _ in range(length):
        cache = torch.cat([cache, model(cache)], dim=-2)
        if cache.size(-2) > window:
            cache = cache[..., -window:, :]
        torch_xla.sync()  # expect: XLA201


def of_a_branch(model, prompt, cached):
    ids = prompt.to(torch_xla.device())
    if cached:
        ids = torch.zeros(1, 1, device=torch_xla.device())
    if ids.sum() > 0:  # expect: XLA103
        model(ids)


def a_module_of_a_branch(x, wide):
    """What one branch makes a module is called."""
    model = layers().to(torch_xla.device())
    if wide:
        model = torch.nn.Linear(8, 8).to(torch_xla.device())
    return model(x)


def ignored_labels(model, loss_of, loader):
    for batch in pl.MpDeviceLoader(loader, torch_xla.device()):
        x, y = batch
        kept = y != -100
        scores = model(x)
        loss_of(scores[kept], y).backward()  # expect: XLA401


def compared_for_a_test(model, loader, names):
    for batch in pl.MpDeviceLoader(loader, torch_xla.device()):
        known = batch["epoch"] > 0
        if names[known]:
            model(batch["x"]).sum().backward()
