"""The program starts its replicas itself; one of them stops early, with nothing pending."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.runtime as xr

WRAPPED = xmp.MpModelWrapper(torch.nn.Linear(2, 1))
OF_THE_MODULE = torch.nn.Linear(2, 1)
OPTIMIZER = torch.optim.SGD(OF_THE_MODULE.parameters(), lr=0.1)


def move_model() -> torch.nn.Module:
    return OF_THE_MODULE.to(torch_xla.device())


def replica(index: int, factor: float, given: torch.nn.Module) -> list[float]:
    assert OPTIMIZER.param_groups[0]["params"][0] is OF_THE_MODULE.weight
    models = [WRAPPED.to(torch_xla.device()), move_model(), given.to(torch_xla.device())]
    value = xm.all_reduce(xm.REDUCE_SUM, torch.tensor([index + 1.0]).to(torch_xla.device()) * factor)
    torch_xla.sync()
    for model in models:
        assert model.weight.device == value.device, "each replica has moved a model of its own"
    if xr.global_ordinal() == 1:
        return [value.item()]
    own = torch.ones(2, device=torch_xla.device()) * 3
    torch_xla.sync()
    return [value.item(), own.sum().item()]


def main() -> None:
    torch_xla.launch(replica, args=(10.0, torch.nn.Linear(2, 1)))


if __name__ == "__main__":
    main()
