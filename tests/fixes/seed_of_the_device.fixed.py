# select: XLA707
import torch
import torch_xla

seed = 3


def seed_all(number):
    torch.manual_seed(number)  # of the host
    torch_xla.manual_seed(number)


def main():
    generator = torch.manual_seed(seed + 1)
    torch.randn(4, device=torch_xla.device())
    torch.manual_seed(int("3"))
    torch.randn(4, device=torch_xla.device())
    seed_all(seed)
    return torch.randn(4, device=torch_xla.device())


main()
