"""Modules that an object holds, moved by other names than its attributes."""

import torch
import torch_xla


class Adversaries:
    def __init__(self, device):
        self.maker, self.judge = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
        self.of_maker = torch.optim.SGD(self.maker.parameters(), lr=0.1)
        for net in (self.maker, self.judge):
            net.to(device)  # expect: XLA701
        self.of_judge = torch.optim.SGD(self.judge.parameters(), lr=0.1)

    def train(self, x):
        with torch_xla.step():
            self.judge(self.maker(x)).sum().backward()
            self.of_maker.step()
            self.of_judge.step()

    def save(self):
        torch.save(self.judge.state_dict(), "judge.pt")  # expect: XLA601


class Kept:
    def __init__(self, device):
        self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
        net = self.first
        net.to(device)
        torch.save(self.second.state_dict(), "second.pt")


def main():
    device = torch_xla.device()
    both = Adversaries(device)
    both.train(torch.randn(2, 4).to(device))
    both.save()
    Kept(device)


if __name__ == "__main__":
    main()
