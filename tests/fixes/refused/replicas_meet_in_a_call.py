# select: XLA201
# refused: replicas meet in what line 26 calls, which cuts the graph
"""What the model returns is used in the step, and the replicas meet while it runs: a step would be cut there."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


class Quantizer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, batch):
        out = self.inner(batch)
        xm.rendezvous("quantized")
        return out


device = torch_xla.device()
model = Quantizer().to(device)
total = torch.zeros((), device=device)
with torch.no_grad():
    for batch in [torch.randn(2, 4) for _ in range(3)]:
        quantized = model(batch.to(device))
        total += quantized.square().mean()
        torch_xla.sync()
print(total.item())
