# select: XLA801
# refused: `shown` counts the batches of the loop
"""The progress bar would run ahead of the training, as the loader goes over it."""

import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
shown = tqdm(DataLoader(TensorDataset(torch.randn(16, 4)), batch_size=4, drop_last=True))
for (batch,) in shown:
    model(batch.to(device)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    torch_xla.sync()
    shown.set_description("training")
