"""A function imports for all others: what it imports beside that is theirs, too."""


def load():
    global xm, pl, torch_xla, xr
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.runtime as xr
    import torch_xla.distributed.parallel_loader as pl


def step():
    torch_xla.sync()
    return pl, xr.world_size()
