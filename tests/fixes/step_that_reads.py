# select: XLA101
"""Two steps that are whole functions read their losses, and tell what they were given."""

import torch
import torch_xla


class Trainer:
    def __init__(self, model, device):
        self.model = model
        self.device = device
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.losses = []
        self.step_fn = torch_xla.compile(self.step_fn)

    def step_fn(self, batch, index):
        self.optimizer.zero_grad()
        loss = self.model(batch).square().mean()
        loss.backward()
        self.losses.append(loss.item())  # for the plot
        print("step", index)
        print("loss", loss)
        self.optimizer.step()


def fit(trainer, batches):
    for number, batch in enumerate(batches):
        trainer.step_fn(batch, number)


@torch_xla.compile
def evaluate(model, batch, target):
    output = model(batch)
    loss = torch.nn.functional.mse_loss(output, target)
    print(f"{loss.item():.3f}")
    return output, loss


def main():
    device = torch_xla.device()
    trainer = Trainer(torch.nn.Linear(4, 1).to(device), device)
    fit(trainer, [torch.randn(2, 4, device=device) for _ in range(3)])
    ones = torch.ones(2, 4, device=device)
    output, loss = evaluate(trainer.model, ones, ones[:, :1])
    return output, loss


main()
