# select: XLA102
# refused: cannot move past line
import torch


def train(batches):
    device = torch.device("xla")
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model(torch.ones(2, 8, device=device)).sum()
    scale = before.item()
    xm = None
    if device.type == "xla":
        try:
            import torch_xla.core.xla_model as xm
        except ImportError:
            pass
    for batch in batches:
        optimizer.zero_grad()
        model(batch.to(device)).square().mean().div(scale).backward()
        if xm is not None:
            xm.optimizer_step(optimizer, barrier=True)


train(torch.randn(4, 2, 8))
