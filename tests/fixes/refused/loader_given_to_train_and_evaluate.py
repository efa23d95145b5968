# select: XLA404
# refused: line 20 goes over it, too, and does not train
import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


def train(model, optimizer, loader):
    for (x,) in loader:
        with torch_xla.step():
            loss = model(x.to("xla")).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


@torch.no_grad()
def evaluate(model, loader):
    total = 0
    for (x,) in loader:
        with torch_xla.step():
            total += model(x.to("xla")).square().sum()
    return total


def main():
    model = torch.nn.Linear(4, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(10, 4)), batch_size=4)
    train(model, optimizer, loader)
    print(evaluate(model, loader))


main()
