"""A model that the package offers."""

import torch


class Small(torch.nn.Linear):
    def __init__(self):
        super().__init__(4, 4)
