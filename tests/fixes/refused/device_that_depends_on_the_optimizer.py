# select: XLA701
# refused: line 10 uses `optimizer`, which line 9 binds
import torch
import torch_xla


def train(batches, place):
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    device = place(optimizer)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer)
    model.to(device)
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch.to("xla")).square().mean().backward()
            optimizer.step()
            scheduler.step()


train(torch.randn(4, 2, 4), lambda optimizer: torch.device("xla"))
