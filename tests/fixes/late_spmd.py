# select: XLA805, XLA807
import torch
import torch_xla
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr


def main():
    torch.manual_seed(0)
    device = torch_xla.device()  # of this host
    print("training on", device)
    xr.use_spmd()
    mesh = xs.get_1d_mesh("data")
    model = torch.nn.Linear(8, 4).to(device)
    xs.mark_sharding(model.weight, mesh, [None, "data"])
    xs.mark_sharding(model.bias, mesh, ["data"])
    xs.mark_sharding(
        torch.randn(8, 8).to(device),
        mesh,
        [
            "data",  # over the batch
            None,
        ],
    )


if __name__ == "__main__":
    main()
