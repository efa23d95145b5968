"""What an import brings is None where it fails, and so is what comes beside it."""

try:
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.xla_multiprocessing as xmp
except ImportError:
    print("runs without XLA")
    xm = xmp = None
except AttributeError:
    xm = None
    xmp = None


def train(rank):
    device = xm.xla_device()
    print(xm.xrt_world_size(), device, xmp)
    xm.mark_step()
    return xm.is_master_ordinal()
