# select: XLA701
import torch
import torch_xla

torch.manual_seed(0)
batches = torch.randn(4, 8, 4)
model = torch.nn.Linear(4, 1)

# Where it is trained.
name = "xla"
device = torch.device(name)
model.to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
num_training_steps = 3 * len(batches)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=num_training_steps)
print("steps:", num_training_steps)
for batch in batches:
    with torch_xla.step():
        optimizer.zero_grad()
        model(batch.to(device)).square().mean().backward()
        optimizer.step()
        scheduler.step()
