# select: XLA404
# refused: line 12 makes several loaders
import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


def main():
    model = torch.nn.Linear(4, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = {"train": TensorDataset(torch.randn(10, 4)), "val": TensorDataset(torch.randn(10, 4))}
    loaders = {x: DataLoader(data[x], batch_size=4) for x in ("train", "val")}
    for phase in ("train", "val"):
        for (x,) in loaders[phase]:
            with torch_xla.step():
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    loss = model(x.to("xla")).square().mean()
                    if phase == "train":
                        loss.backward()
                        optimizer.step()


main()
