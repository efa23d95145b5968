# select: XLA404
import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, dataset, scaled):
        self.scaled = scaled
        self.loader = DataLoader(dataset, batch_size=4)
        self.model = torch.nn.Linear(4, 1).to("xla")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def epoch(self):
        print(len(self.loader), self.loader.dataset)
        for number, (x,) in enumerate(self.loader):
            with torch_xla.step():
                self.optimizer.zero_grad()
                loss = self.model(x.to("xla")).square().mean()
                if self.scaled:
                    (loss * 2).backward()
                else:
                    loss.backward()
                self.optimizer.step()

    def warm_up(self):
        for (x,) in self.loader:
            with torch_xla.step():
                self.optimizer.zero_grad()
                self.model(x.to("xla")).mean().backward()
                self.optimizer.step()


def main():
    trainer = Trainer(TensorDataset(torch.randn(10, 4)), True)
    trainer.warm_up()
    trainer.epoch()


main()
