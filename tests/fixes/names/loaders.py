"""A loader of several devices is asked for that of one device."""

import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.distributed.parallel_loader import ParallelLoader

device = torch_xla.device()


def directly(loader):
    for batch in pl.ParallelLoader(loader, [device]).per_device_loader(device):
        print(batch)
    return ParallelLoader(loader, devices=[ device ], loader_prefetch_size=4).per_device_loader(device)


def by_a_name(loader, train, device):
    para_loader = pl.ParallelLoader(
        loader,
        [device],
    )
    for epoch in range(3):
        train(para_loader.per_device_loader(device))
        train(enumerate(para_loader.per_device_loader(device)))


def by_two_names(first, second, train):
    loader = pl.ParallelLoader(first, [xm.xla_device()])
    train(loader.per_device_loader(xm.xla_device()))
    loader = pl.ParallelLoader(second, [device])
    train(loader.per_device_loader(device))


def several_devices(loader, devices, train):
    loaders = pl.ParallelLoader(loader, devices)  # stays: it is not seen that it is made for one device
    for device in devices:
        train(loaders.per_device_loader(device))


def another_device(loader, first, second, train):
    train(pl.ParallelLoader(loader, [first]).per_device_loader(second))  # stays: line 39 asks for another device than it was made for


def kept(loader):
    loaders = pl.ParallelLoader(loader, [device])  # stays: it is asked for more than the loader of one device
    for batch in loaders.per_device_loader(device):
        print(batch)
    loaders.close()


def given_away(loader, train):
    train(pl.ParallelLoader(loader, [device]))  # stays: it is not seen what it is asked for


def epochs(train, check, device):
    for _ in range(2):
        loader = pl.ParallelLoader(train, [device])
        run(loader.per_device_loader(device))
        loader = pl.ParallelLoader(check, [device])
        run(loader.per_device_loader(device))


def epochs_with_a_test(train, check, device):
    for epoch in range(2):
        para_loader = pl.ParallelLoader(train, [device])
        run(para_loader.per_device_loader(device))
        with torch.no_grad():
            para_loader = pl.ParallelLoader(check, [device])
            run(para_loader.per_device_loader(device))


def now_and_then(train, check, device, epochs):
    loader = pl.ParallelLoader(train, [device])  # stays: `loader` is more than this loader
    for epoch in range(epochs):
        run(loader.per_device_loader(device))
        if epoch == 3:
            loader = pl.ParallelLoader(check, [device])  # stays: `loader` is more than this loader
            run(loader.per_device_loader(device))
