# select: XLA201
import torch
import torch_xla

history = []


def keep(loss):
    history.append(loss.item())


def train(model, optimizer, batches):
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            optimizer.step()
        with torch_xla.step():
            scaled = loss * 2
        keep(scaled)


device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, [torch.randn(2, 4, device=device) for _ in range(3)])
