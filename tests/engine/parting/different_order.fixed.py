"""Which of two sums comes first depends on the replica: cured."""

# replicas: 2
import torch
import torch_xla
import torch_xla.core.xla_model as xm


def train(index):
    device = torch_xla.device()
    counts = torch.ones(3, device=device)
    value = torch.ones(5, device=device)
    for _ in range(2):
        first = xm.all_reduce(xm.REDUCE_SUM, counts)
        second = xm.all_reduce(xm.REDUCE_SUM, value)
        torch_xla.sync()
        print(torch.stack([first.sum(), second.sum()]).tolist())


if __name__ == "__main__":
    torch_xla.launch(train)
