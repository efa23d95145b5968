# select: XLA101
# refused: does not return `norm`, which is read
import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch_xla.compile
def train_step(batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(norm)
    return loss


for _ in range(3):
    train_step(torch.randn(2, 4, device=device))
