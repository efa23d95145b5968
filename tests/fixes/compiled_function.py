# select: XLA210
import torch
import torch_xla

torch_xla.experimental.eager_mode(True)

model = torch.nn.Linear(4, 1).to("xla")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step_fn(batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    return loss


for _ in range(3):
    loss = step_fn(torch.randn(2, 4, device="xla"))
