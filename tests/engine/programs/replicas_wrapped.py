"""A model in DistributedDataParallel, which puts its buckets together anew after the first step."""

import torch
import torch.distributed
import torch_xla
import torch_xla.distributed.xla_backend
from torch.nn.parallel import DistributedDataParallel


def main() -> list[float]:
    torch.distributed.init_process_group("xla", init_method="xla://")
    device = torch_xla.device()
    torch.manual_seed(torch.distributed.get_rank())
    model = DistributedDataParallel(torch.nn.Linear(4, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total = torch.zeros((), device=device)
    for share in torch.ones(3, 4).to(device):
        optimizer.zero_grad()
        loss = model(share).sum()
        loss.backward()
        optimizer.step()
        total = loss.detach().clone()
        torch.distributed.all_reduce(total)
        torch_xla.sync()
    return [*model.module.weight.flatten().tolist(), total.item()]


if __name__ == "__main__":
    main()
