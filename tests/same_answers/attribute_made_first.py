"""What an attribute holds is evaluated before anything is judged, and with it the function that reads."""

import torch
import torch_xla


class Normalizer:
    def __init__(self):
        self.device = torch_xla.device()
        self.scale = positive(torch.ones(4, device=self.device))


class Shifted(Normalizer):
    def apply(self):
        torch_xla.sync()
        return self.scale.sum()


def positive(scale):
    squares = scale * scale
    if squares.any():
        print("fine")
    return scale


def main():
    normalizer = Normalizer()
    torch_xla.sync()
    return normalizer
