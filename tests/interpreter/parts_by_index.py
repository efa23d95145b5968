# ruff: noqa
# mypy: ignore-errors
"""A chain of attributes and indexes leads from a model to a part of it, but not by way of its settings."""

import torch
import torch_xla

import models


def save(name):
    model = models.build(name).to(torch_xla.device())
    model.eval()
    torch.save(model.layers[0].state_dict(), "layer.pt")  # expect: XLA601 likely
    torch.save(model.layers[0].weight, "weight.pt")  # expect: XLA601 likely
    model.settings_config["default"].save_pretrained("settings")
    torch.save(model.config.layers[0].weight, "number.pt")
    torch.save(model.parameters(), "generator.pt")
