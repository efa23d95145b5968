"""Everything that replicas do together in a correct program, once."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from torch_xla.distributed.parallel_loader import MpDeviceLoader
from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer


def main() -> list[float]:
    torch.manual_seed(0)
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    head = torch.nn.Linear(2, 2).to(device)
    torch.manual_seed(xr.global_ordinal())
    data = torch.utils.data.TensorDataset(torch.randn(12, 4), torch.randn(12, 2))
    # From here on replicas run side by side, and draw from the same random numbers.
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    shared_out = ZeroRedundancyOptimizer(head.parameters(), torch.optim.SGD, lr=0.1)
    for x, y in MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=4), device):
        optimizer.zero_grad()
        shared_out.zero_grad()
        loss = torch.nn.functional.mse_loss(head(model(x)), y)
        loss.backward()
        shared_out.step()
        xm.optimizer_step(optimizer)
        total = xm.all_reduce(xm.REDUCE_SUM, loss.detach())
        print(total.item(), total)
        doubled = xm.all_reduce(xm.REDUCE_SUM, loss.detach() * 2)
        print(doubled.numpy(force=True), doubled.tolist())
        shares = xm.all_reduce(xm.REDUCE_SUM, loss.detach() * torch.ones(2, device=device))
        print(torch.equal(shares, shares * 2), shares.nonzero(), shares[shares > 0].shape)
        torch.save([shares + 1, shares + 2], f"shares{xr.global_ordinal()}.pt")
    xm.save(model.state_dict(), "all_replicas.pt")
    xm.rendezvous("saved")
    if xm.is_master_ordinal():
        torch.save(model.state_dict(), "master.pt")
    ranks = xm.mesh_reduce("ranks", xr.global_ordinal() + 1.0, sum)
    gathered = xm.all_gather(torch.tensor([float(xr.global_ordinal())]).to(device))
    torch_xla.sync()
    sums = torch.stack([parameter.sum() for parameter in [*model.parameters(), *head.parameters()]])
    return [ranks, *gathered.tolist(), *sums.tolist()]


if __name__ == "__main__":
    main()
