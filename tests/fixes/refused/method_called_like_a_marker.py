# select: XLA201
# refused: the marker stands in `sync`, on line 11 and below
import torch
import torch_xla


class Trainer:
    def __init__(self, model):
        self.model, self.count = model.to("xla"), 0

    def sync(self, count):
        torch_xla.sync()
        self.count += count

    def train(self, optimizer, batches):
        for batch in batches:
            optimizer.zero_grad()
            self.model(batch.to("xla")).square().mean().backward()
            optimizer.step()
            self.sync(1)


def main(batches):
    model = torch.nn.Linear(4, 1).to("xla")
    Trainer(model).train(torch.optim.SGD(model.parameters(), lr=0.1), batches)
