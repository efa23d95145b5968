# select: XLA809
import torch
import torch_xla

device = torch_xla.device()


@torch.compile
def doubled(x):
    return x * 2


def scored(x):
    model = torch.nn.Linear(4, 1).to(device)
    model = torch.compile(model, dynamic=False, backend="openxla")
    faster = torch.compile(torch.nn.Linear(4, 1).to(device), mode="reduce-overhead")
    gone = torch.compile(torch.nn.Linear(4, 1).to(device), backend="openxla")
    return model(x.to(device)), faster(x.to(device)), gone(x.to(device)), doubled(x.to(device))


print(scored(torch.randn(2, 4)))
