"""Diffusion: a model learns to take noise away, and then draws; in the shape of diffusers' training loops."""

import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


class Denoiser(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.time = torch.nn.Embedding(10, 8)
        self.inner = torch.nn.Conv2d(1, 8, 3, padding=1)
        self.outer = torch.nn.Conv2d(8, 1, 3, padding=1)

    def forward(self, images, steps):
        return self.outer(torch.relu(self.inner(images) + self.time(steps)[:, :, None, None]))


class Schedule:
    def __init__(self, device):
        self.kept = torch.linspace(0.9, 0.1, 10).to(device)

    def add_noise(self, images, noise, steps):
        kept = self.kept[steps][:, None, None, None]
        return kept.sqrt() * images + (1 - kept).sqrt() * noise


def train(model, schedule, loader, optimizer, device):
    for images, noise, steps in loader:
        images, noise, steps = images.to(device), noise.to(device), steps.to(device)
        noisy = schedule.add_noise(images, noise, steps)  # zone: loss
        predicted = model(noisy, steps)
        loss = torch.nn.functional.mse_loss(predicted, noise)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        torch_xla.sync()


def draw(model, device):
    images = torch.randn(2, 1, 8, 8).to(device)
    with torch.no_grad():
        for step in range(9, -1, -1):
            steps = torch.full((2,), step).to(device)
            predicted = model(images, steps)  # zone: predicted
            images = images - 0.1 * predicted
            torch_xla.sync()
    return images.cpu()


def main():
    torch.manual_seed(0)
    device = torch_xla.device()
    data = TensorDataset(torch.randn(32, 1, 8, 8), torch.randn(32, 1, 8, 8), torch.randint(0, 10, (32,)))
    loader = DataLoader(data, batch_size=8, drop_last=True)
    model = Denoiser().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(2):
        train(model, Schedule(device), loader, optimizer, device)
    print(draw(model, device).mean())


main()
