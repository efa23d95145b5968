# proof: launches 44 -> 20
"""A student learns from a teacher: step closures with the norm of gradients, a validation that reads as it goes."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, TensorDataset


class Logger:
    def __init__(self):
        self.history = []

    def __call__(self, step, loss, lr, grad_norm):
        self.history.append([step, loss.item(), lr, grad_norm.item()])


def kd_loss(student, teacher, targets, temperature=4.0, alpha=0.7):
    soft = F.kl_div(
        F.log_softmax(student / temperature, 1), F.softmax(teacher / temperature, 1), reduction="batchmean"
    )
    return alpha * temperature**2 * soft + (1 - alpha) * F.cross_entropy(student, targets)


def train_epoch(student, teacher, loader, optimizer, scheduler, logger, device):
    student.train()
    running = torch.zeros(1, device=device)
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        with torch.no_grad():
            hints = teacher(x)
        loss = kd_loss(student(x), hints, y)
        loss.backward()
        grad_norm = torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        xm.optimizer_step(optimizer)
        running += loss.detach()
        # log without blocking the graph
        xm.add_step_closure(
            logger,
            args=(step, loss, scheduler.get_last_lr()[0], grad_norm),
        )
        scheduler.step()
    xm.mark_step()
    return (running / len(loader)).item()


def validate(student, loader):
    student.eval()
    total, seen, first, predictions = 0.0, 0, 0, []
    for x, y in loader:
        with torch.no_grad():
            out = student(x)
        # what the whole set says
        total += F.cross_entropy(out, y).item() * y.size(0)
        first += (out.argmax(1) == y)[0].item()
        predictions += out.argmax(1).cpu().tolist()
        seen += y.size(0)
    return total / seen, first, sum(predictions)


def main():
    torch.manual_seed(0)
    device = xm.xla_device()
    data = TensorDataset(torch.randn(32, 5), torch.randint(0, 3, (32,)))
    loader = pl.MpDeviceLoader(DataLoader(data, batch_size=8, drop_last=True), device)
    teacher = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
    student = nn.Linear(5, 3).to(device)
    optimizer = torch.optim.Adam(student.parameters(), lr=0.02)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
    logger = Logger()
    numbers = []
    for _ in range(2):
        numbers.append(train_epoch(student, teacher, loader, optimizer, scheduler, logger, device))
        numbers += validate(student, loader)
    return numbers + [number for row in logger.history for number in row]


if __name__ == "__main__":
    main()
