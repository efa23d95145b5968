"""A loader of several devices is asked for that of one device."""

import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()


def directly(loader):
    for batch in pl.MpDeviceLoader(loader, device):
        print(batch)
    return pl.MpDeviceLoader(loader, device=device, loader_prefetch_size=4)


def by_a_name(loader, train, device):
    para_loader = pl.MpDeviceLoader(
        loader,
        device,
    )
    for epoch in range(3):
        train(para_loader)
        train(enumerate(para_loader))


def by_two_names(first, second, train):
    loader = pl.MpDeviceLoader(first, torch_xla.device())
    train(loader)
    loader = pl.MpDeviceLoader(second, device)
    train(loader)


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
        loader = pl.MpDeviceLoader(train, device)
        run(loader)
        loader = pl.MpDeviceLoader(check, device)
        run(loader)


def epochs_with_a_test(train, check, device):
    for epoch in range(2):
        para_loader = pl.MpDeviceLoader(train, device)
        run(para_loader)
        with torch.no_grad():
            para_loader = pl.MpDeviceLoader(check, device)
            run(para_loader)


def now_and_then(train, check, device, epochs):
    loader = pl.ParallelLoader(train, [device])  # stays: `loader` is more than this loader
    for epoch in range(epochs):
        run(loader.per_device_loader(device))
        if epoch == 3:
            loader = pl.ParallelLoader(check, [device])  # stays: `loader` is more than this loader
            run(loader.per_device_loader(device))
