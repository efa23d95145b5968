"""What an import brings is None where it fails, and so is what comes beside it."""

try:
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.runtime as xr
    import torch_xla.distributed.xla_multiprocessing as xmp
except ImportError:
    print("runs without XLA")
    torch_xla = xr = xm = xmp = None
except AttributeError:
    torch_xla = xr = xm = None
    xmp = None


def train(rank):
    device = torch_xla.device()
    print(xr.world_size(), device, xmp)
    torch_xla.sync()
    return xm.is_master_ordinal()
