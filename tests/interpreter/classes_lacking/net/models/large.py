"""A model that the package does not offer."""

import torch


class Large(torch.nn.Linear):
    def __init__(self):
        super().__init__(4, 4)
