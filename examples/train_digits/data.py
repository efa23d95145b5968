"""Small pictures of digits, drawn, shifted and blurred with noise: no download needed."""

import torch
from torch.utils.data import DataLoader, TensorDataset

SIZE = 12

# Five rows of three pixels for each digit.
FONT = (
    "111101101101111", "010110010010111", "111001111100111", "111001111001111", "101101111001001",
    "111100111001111", "111100111101111", "111001010010010", "111101111101111", "111101111001111",
)  # fmt: skip


def draw(digit, top, left):
    """One picture: the digit at twice its size, with its upper left corner at `top`, `left`."""
    pixels = torch.tensor([float(bit) for bit in FONT[digit]]).reshape(5, 3)
    picture = torch.zeros(SIZE, SIZE)
    picture[top : top + 10, left : left + 6] = pixels.repeat_interleave(2, 0).repeat_interleave(2, 1)
    return picture


def digits(count, seed):
    """`count` noisy pictures and what they show."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 10, (count,), generator=generator)
    corners = torch.randint(0, 3, (count, 2), generator=generator).tolist()
    pictures = torch.stack(
        [draw(d, top, left) for d, (top, left) in zip(labels.tolist(), corners, strict=True)]
    )
    noise = torch.randn(pictures.shape, generator=generator)
    return TensorDataset((pictures + 0.3 * noise).unsqueeze(1), labels)


def build_loaders(batch_size):
    """Loaders over the training and the test pictures."""
    train = DataLoader(digits(512, seed=1), batch_size=batch_size, shuffle=True, drop_last=True)
    test = DataLoader(digits(128, seed=2), batch_size=batch_size, drop_last=True)
    return train, test
