"""acmetrain's loader cuts the graph after each batch, and its `finish` reads the loss in mid-step."""

import acmetrain
import torch
import torch_xla

model = torch.nn.Linear(2, 1).to(torch_xla.device())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in acmetrain.loader([torch.ones(4, 2)]):
    loss = model(batch).sum()
    loss.backward()
    optimizer.step()
    acmetrain.finish(loss)  # expect: XLA102
