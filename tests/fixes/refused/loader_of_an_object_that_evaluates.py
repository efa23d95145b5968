# select: XLA404
# refused: line 25 goes over it, too, and does not train
import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


class Runner:
    def __init__(self, dataset):
        self.loader = DataLoader(dataset, batch_size=4)
        self.model = torch.nn.Linear(4, 1).to("xla")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def train(self):
        for (x,) in self.loader:
            with torch_xla.step():
                loss = self.model(x.to("xla")).square().mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()

    @torch.no_grad()
    def evaluate(self):
        total = 0
        for (x,) in self.loader:
            with torch_xla.step():
                total += self.model(x.to("xla")).square().sum()
        return total


def main():
    runner = Runner(TensorDataset(torch.randn(10, 4)))
    runner.train()
    print(runner.evaluate())


main()
