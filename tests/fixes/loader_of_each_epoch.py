# select: XLA802
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def made_by_itself(model, batches, device):
    for epoch in range(3):
        # The batches of this epoch.
        loader = pl.MpDeviceLoader(batches, device)
        for step, batch in enumerate(loader):
            with torch_xla.step():
                model(batch)
            if step == 3:
                break


def made_of_what_the_epoch_has(model, datasets, device):
    for dataset in datasets:
        loader = pl.MpDeviceLoader(dataset, device)
        for step, batch in enumerate(loader):
            with torch_xla.step():
                model(batch)
            if step == 3:
                break


def made_where_it_is_used(model, batches, device):
    for epoch in range(3):
        for step, batch in enumerate(pl.MpDeviceLoader(batches, device)):
            with torch_xla.step():
                model(batch)
            if step == 3:
                break
