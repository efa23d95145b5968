"""Modules that a function imports and gives back, to names of the module or of a function."""

import torch


def find_xla():
    try:
        import torch_xla.core.xla_model as xm
        import torch_xla.distributed.parallel_loader as pl

        return xm, pl, True
    except Exception as problem:
        print(problem)
        return None, None, False


def find_model_module():
    import torch_xla.core.xla_model as found

    return found


xm, pl, has_xla = find_xla()
runtime = find_model_module()


def unpacked(model, loader):
    device = xm.xla_device()
    model = model.to(device)
    for batch in pl.MpDeviceLoader(loader, device):
        loss = model(batch).sum()
        print(loss.item())  # expect: XLA102


def named_once(model, loader):
    device = runtime.xla_device()
    model = model.to(device)
    for batch in loader:
        loss = model(batch.to(device)).sum()
        print(loss.item())  # expect: XLA102
        runtime.mark_step()  # expect: XLA201


def reads_after_the_cut(model, loader):
    device = xm.xla_device()
    model = model.to(device)
    for batch in loader:
        loss = model(batch.to(device)).sum()
        xm.mark_step()  # expect: XLA201
        print(loss.item())
