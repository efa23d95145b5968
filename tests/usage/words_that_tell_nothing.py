"""A use may stand in a function of which no word says so by itself."""


def before_the_import():
    wait()  # uses: torch_xla.sync


import torch_xla  # uses: torch_xla
from torch_xla import sync as wait  # uses: torch_xla.sync

NEW = torch_xla.__version__ >= "2.5"  # uses: torch_xla.__version__


def is_new():
    return NEW


def guarded_by_a_name():
    if is_new():
        wait()  # guarded: torch_xla.sync


class Loop:
    def step(self):
        wait()  # uses: torch_xla.sync

    def nothing(self):
        return self.step
