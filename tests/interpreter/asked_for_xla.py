# ruff: noqa
# mypy: ignore-errors
"""Predicates by which programs ask whether they run on XLA: the other arm is none that is checked."""

import enum
import importlib.util
import os

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


class DeviceType(enum.Enum):
    TPU = enum.auto()
    GPU = enum.auto()


def is_tpu():
    return "TPU_NAME" in os.environ


def is_xla(where):
    if isinstance(where, torch.device):
        return where.type == "xla"
    return str(where).startswith("xla")


def has_xla():
    return importlib.util.find_spec("torch_xla") is not None


class Trainer:
    def __init__(self, settings):
        self.on_xla = settings.device == "xla"
        self.device_type = settings.device_type
        self.settings = settings

    def by_an_attribute(self):
        if self.on_xla:
            torch.save(model.state_dict(), "model.pt")  # expect: XLA601
        else:
            torch.save(model.state_dict(), "model.pt")

    def by_a_member(self):
        if self.device_type == DeviceType.GPU:
            torch.save(model.state_dict(), "model.pt")
        elif self.device_type is DeviceType.TPU:
            torch.save(model.state_dict(), "model.pt")  # expect: XLA601
        else:
            torch.save(model.state_dict(), "model.pt")

    def by_a_prefix(self):
        if self.settings.device.startswith("cuda"):
            torch.save(model.state_dict(), "model.pt")
        elif self.settings.device.startswith("xla"):
            torch.save(model.state_dict(), "model.pt")  # expect: XLA601
        else:
            torch.save(model.state_dict(), "model.pt")

    def by_what_the_settings_say(self):
        if self.settings.get("use_tpu", False):
            torch.save(model.state_dict(), "model.pt")  # expect: XLA601
        else:
            torch.save(model.state_dict(), "model.pt")
        if getattr(self.settings, "use_xla", False) is True:
            torch.save(model.state_dict(), "model.pt")  # expect: XLA601
        else:
            torch.save(model.state_dict(), "model.pt")

    def by_a_number(self):
        if self.settings.tpu_cores is not None:
            torch.save(model.state_dict(), "model.pt")  # expect: XLA601
        else:
            torch.save(model.state_dict(), "model.pt")
        if self.settings.num_tpus > 0:
            torch.save(model.state_dict(), "model.pt")  # expect: XLA601
        else:
            torch.save(model.state_dict(), "model.pt")


def by_functions():
    if is_tpu() and has_xla():
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601
    else:
        torch.save(model.state_dict(), "model.pt")
    if not is_xla(device):
        torch.save(model.state_dict(), "model.pt")
    else:
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601


def by_a_variable():
    if os.environ.get("USE_TPU", "0") == "1":
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601
    else:
        torch.save(model.state_dict(), "model.pt")


def on_the_host():
    where = torch.device("cpu")
    if is_xla(where):
        torch.save(model.state_dict(), "model.pt")


def by_what_says_nothing_of_it(settings):
    if settings.name.startswith("xla"):
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601
    elif settings.cores is not None:
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601 likely
    elif os.environ.get("VERBOSE", "0") == "1":
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601
    else:
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601


def by_the_variable_of_cuda():
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        torch.save(model.state_dict(), "model.pt")
    else:
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601
    if "CUDA_VISIBLE_DEVICES" not in os.environ:
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601
