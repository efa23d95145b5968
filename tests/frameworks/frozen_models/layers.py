"""Layers that are put beside those of a model, which are trained no more."""

import torch


def inject(model):
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    model.adapter = torch.nn.Linear(768, 768)
    return model
