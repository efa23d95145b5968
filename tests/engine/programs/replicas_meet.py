"""Everything that replicas do together in a correct program, once."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from torch_xla.distributed.parallel_loader import MpDeviceLoader


def main() -> list[float]:
    torch.manual_seed(0)
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(xr.global_ordinal())
    data = torch.utils.data.TensorDataset(torch.randn(12, 4), torch.randn(12, 2))
    for x, y in MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=4), device):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)
        total = xm.all_reduce(xm.REDUCE_SUM, loss.detach())
        print(total.item(), total)
        doubled = xm.all_reduce(xm.REDUCE_SUM, loss.detach() * 2)
        print(doubled.numpy(force=True), doubled.tolist())
    xm.save(model.state_dict(), "all_replicas.pt")
    xm.rendezvous("saved")
    if xm.is_master_ordinal():
        torch.save(model.state_dict(), "master.pt")
    ranks = xm.mesh_reduce("ranks", xr.global_ordinal() + 1.0, sum)
    gathered = xm.all_gather(torch.tensor([float(xr.global_ordinal())]).to(device))
    torch_xla.sync()
    sums = torch.stack([parameter.sum() for parameter in model.parameters()])
    return [ranks, *gathered.tolist(), *sums.tolist()]


if __name__ == "__main__":
    main()
