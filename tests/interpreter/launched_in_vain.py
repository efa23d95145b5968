# ruff: noqa
# mypy: ignore-errors
"""A launch that raises starts nothing: what it would start is a note, until that is mended."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.runtime as xr


def save(model):
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601


def in_vain(index):
    model = torch.nn.Linear(4, 4).to("xla")
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601 likely


def started(index):
    save(torch.nn.Linear(4, 4).to("xla"))


def asks_first():
    print(xr.world_size())  # expect: XLA509
    torch_xla.launch(in_vain)


def asks_later():
    xmp.spawn(started, nprocs=None)  # expect: XLA002
    print(xr.world_size())


def by_itself():
    print(xr.world_size())
    torch_xla.launch(started, debug_single_process=True)


def by_a_name_that_is_gone():
    print(xm.xrt_world_size())  # expect: XLA001
    torch_xla.launch(started)


def without_its_number(step):
    model = torch.nn.Linear(4, 4).to("xla")
    if step > 0:
        xm.rendezvous("saved")  # quiet: nobody gives it the number of its replica
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601 likely


def with_its_number(index, settings):
    model = torch.nn.Linear(settings.width, 4).to("xla")
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601


def with_whatever(*given):
    torch.save(torch.nn.Linear(4, 4).to("xla").state_dict(), "model.pt")  # expect: XLA601


def given_what_they_take(settings):
    torch_xla.launch(with_its_number, args=(settings,))
    torch_xla.launch(with_whatever, (settings, "more"))


def given_one_too_many(settings):  # it raises: what it would start is a note
    torch_xla.launch(without_its_number, args=(settings,))


if __name__ == "__main__":
    asks_first()


if __name__ == "__main__" and xr.device_type() == "TPU":
    asks_later()
