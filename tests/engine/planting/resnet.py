"""Images, in the shape of torch_xla's ImageNet example: a residual network and loops that the loader cuts."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, TensorDataset


class Block(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = torch.nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu(x + self.norm(self.conv(x)))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 4, 3)
        self.blocks = torch.nn.Sequential(Block(4), Block(4))
        self.head = torch.nn.Linear(4, 5)

    def forward(self, x):  # zone: hidden
        hidden = self.stem(x)
        for block in self.blocks:
            hidden = block(hidden)
        return self.head(hidden.mean((2, 3)))


class Training:
    def __init__(self, device):
        self.device = device
        self.model = Net().to(device)
        self.loss_fn = torch.nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, weight_decay=1e-4)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 4)

    def train_loop(self, loader):
        self.model.train()
        for step, (data, target) in enumerate(loader):  # zone: loss
            self.optimizer.zero_grad()
            output = self.model(data)
            loss = self.loss_fn(output, target)
            loss.backward()
            xm.optimizer_step(self.optimizer)
            self.scheduler.step()
            if step % 2 == 0:
                xm.add_step_closure(self.report, args=(step, loss))

    def report(self, step, loss):
        print(step, round(loss.item(), 3))

    def test_loop(self, loader):
        self.model.eval()
        total, correct = 0, torch.zeros((), device=self.device)
        for data, target in loader:  # zone: found
            with torch.no_grad():
                found = self.model(data).argmax(1)
            correct = correct + found.eq(target).sum()
            total += data.size(0)
        return 100.0 * correct.item() / total


def main():
    torch.manual_seed(0)
    device = torch_xla.device()
    data = TensorDataset(torch.randn(32, 3, 10, 10), torch.randint(0, 5, (32,)))
    loader = pl.MpDeviceLoader(DataLoader(data, batch_size=8), device)
    training = Training(device)
    for _ in range(2):
        training.train_loop(loader)
        print(training.test_loop(loader))


main()
