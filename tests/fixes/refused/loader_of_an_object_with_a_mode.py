# select: XLA404
# refused: its loop trains only where `train` on line 18 says so
import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


class Runner:
    def __init__(self, dataset):
        self.loader = DataLoader(dataset, batch_size=4)
        self.model = torch.nn.Linear(4, 1).to("xla")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def run(self, train):
        for (x,) in self.loader:
            with torch_xla.step():
                loss = self.model(x.to("xla")).square().mean()
                if train:
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()


def main():
    runner = Runner(TensorDataset(torch.randn(10, 4)))
    runner.run(True)
    runner.run(False)


main()
