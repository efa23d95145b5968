# select: XLA201
# refused: `size_of` on line 13 reads on line 8 of program.py
import torch
import torch_xla


def size_of(loss):
    return loss.item()


def train(model, optimizer, batches, loss):
    for batch in batches:
        scale = size_of(loss)
        total = loss * scale
        total.sum()
        torch_xla.sync()
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        torch_xla.sync()


device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, [torch.randn(2, 4, device=device) for _ in range(3)], torch.ones(1).to(device))
