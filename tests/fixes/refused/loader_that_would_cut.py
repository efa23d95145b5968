# select: XLA801
# refused: the loader would cut the graph before each batch, where the loop does not
"""The loop runs once, as one graph: a loader that cuts would make one of each batch."""

import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
loader = DataLoader(TensorDataset(torch.randn(16, 4)), batch_size=4, drop_last=True)
total = torch.zeros((), device=device)
for (batch,) in loader:
    batch = batch.to(device)
    total = total + model(batch).sum()
torch_xla.sync()
