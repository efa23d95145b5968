"""Six steps: two operations run on the host, one of them only in the first, and a head that nothing trains."""

import torch
import torch_xla


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 1)
        self.spare = torch.nn.Linear(8, 1)

    def forward(self, x):
        x = self.body(x)
        return self.head(x + x.detach().median())  # XLA108


device = torch_xla.device()
torch.manual_seed(0)
model = Net().to(device)
optimizer = torch.optim.AdamW([*model.body.parameters(), *model.spare.parameters()], lr=0.1)
for number in range(6):
    x = torch.randn(4, 8).to(device)
    if number == 0:
        torch.unique(x)  # XLA108 of the first step
    with torch_xla.step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
