# select: XLA201
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def train(batches):
    device = torch_xla.device()
    G = torch.nn.Linear(4, 8).to(device)
    D = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(G.parameters(), lr=0.1)
    optimizer.zero_grad()
    for noise in batches:
        noise = noise.to(device)
        fake = G(noise)
        loss = D(fake).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        torch_xla.sync()


def sample(batches, device):
    G = torch.nn.Linear(4, 8).to(device)
    for noise in pl.MpDeviceLoader(batches, device):
        image = G(noise)
        image = image.clamp(0, 1)
        torch_xla.sync()
        print(image.cpu())


train([torch.randn(2, 4)] * 3)
sample([torch.randn(2, 4)] * 3, torch_xla.device())
