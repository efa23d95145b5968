# select: XLA202
# refused: `torch_xla` may be missing where line
import torch

try:
    import torch_xla
    import torch_xla.core.xla_model as xm
except ImportError:
    torch_xla = None


def device():
    return xm.xla_device() if torch_xla is not None else torch.device("cpu")


def train(batches):
    here = device()
    model = torch.nn.Linear(8, 1).to(here)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch.to(here)).square().mean()
        loss.backward()
        optimizer.step()
    return model


train(torch.randn(4, 2, 8))
