# select: XLA809
# refused: line 8 is for CUDA, where it would be wrong
import torch
import torch_xla


def pick(name):
    return torch.device("cuda") if name == "cuda" else torch_xla.device()


def main(name, batch):
    device = torch_xla.device() if name == "xla" else pick(name)
    model = torch.compile(torch.nn.Linear(8, 1).to(device))
    return model(batch.to(device))


main("xla", torch.randn(2, 8))
