# select: XLA902
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main():
    torch.manual_seed(0)
    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for batch in pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(6)], device):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            xm.optimizer_step(optimizer)
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    main()
