# select: XLA210
import torch
import torch_xla

torch_xla.experimental.eager_mode(True)


class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(4, 1)

    def step_fn(self, batch):
        self.optimizer.zero_grad()
        loss = self.model(batch).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss

    def train(self, index):
        self.model.to("xla")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for _ in range(3):
            loss = self.step_fn(torch.randn(2, 4, device="xla"))
        return loss


torch_xla.launch(Trainer().train)
