"""A small convolutional network."""

import torch.nn.functional as F
from data import SIZE
from torch import nn


class DigitNet(nn.Module):
    def __init__(self, channels=8, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(channels, 2 * channels, kernel_size=3, padding=1)
        self.head = nn.Linear(2 * channels * (SIZE // 4) ** 2, classes)

    def forward(self, images):
        hidden = F.max_pool2d(F.relu(self.conv1(images)), 2)
        hidden = F.max_pool2d(F.relu(self.conv2(hidden)), 2)
        return self.head(hidden.flatten(1))
