"""Five batches, each read two calls deep before the loader's next cut."""

import torch
import torch_xla
from torch_xla.distributed.parallel_loader import MpDeviceLoader


def show(value: torch.Tensor) -> None:
    print(value.item())


def report(value: torch.Tensor) -> None:
    show(value)


def main() -> None:
    model = torch.nn.Linear(4, 2).to(torch_xla.device())
    data = torch.utils.data.TensorDataset(torch.randn(10, 4))
    for (x,) in MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=2), torch_xla.device()):
        prediction = model(x)
        report(prediction.sum())


if __name__ == "__main__":
    main()
