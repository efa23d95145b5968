# select: XLA404
# refused: `drop_last=False` says it on purpose
import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = torch.randn(10, 4)
    loader = DataLoader(TensorDataset(rows, rows.sum(1)), batch_size=4, drop_last=False)
    for x, y in loader:
        with torch_xla.step():
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x.to(device))[:, 0], y.to(device)).backward()
            optimizer.step()


main()
