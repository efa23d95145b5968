# select: XLA102
# refused: a marker above the test would cut each step before the optimizer's, on line 27
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def main(index, batches, steps):
    device = torch_xla.device()
    is_rank0 = xr.global_ordinal() == 0
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = iter(pl.MpDeviceLoader(batches, device))
    step = 0
    while step < steps:
        for _ in range(4):
            loss = model(next(loader)).square().mean()
            loss.backward()

        if is_rank0 and step % 100 == 0:
            numbers = loss.detach().cpu().numpy()
            print({"loss": loss.item(), "mean": numbers.mean()})

        xm.reduce_gradients(optimizer)
        optimizer.step()
        optimizer.zero_grad()
        step += 1


if __name__ == "__main__":
    torch_xla.launch(main, args=([torch.randn(4, 8)] * 8, 2))
