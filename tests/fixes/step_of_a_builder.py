# select: XLA101
import torch
import torch_xla


def build(model, optimizer):
    @torch_xla.compile
    def train_step(batch):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        print(loss)
        return loss

    return train_step


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    step = build(model, torch.optim.SGD(model.parameters(), lr=0.1))
    for _ in range(3):
        step(torch.randn(2, 4, device=device))


main()
