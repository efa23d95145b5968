# select: XLA205
# refused: to cut the graph is what `xla_mark_step` is for: its calls would have to go
import torch
import torch_xla


def xla_mark_step(x):
    if x.device == torch_xla.device():
        torch_xla.sync()
        print(x.shape)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 1)

    def forward(self, x):
        x = self.first(x)
        xla_mark_step(x)
        return self.second(x)


def main(batches):
    device = torch_xla.device()
    model = Net().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch.to(device)).square().mean().backward()
        optimizer.step()
        torch_xla.sync()
