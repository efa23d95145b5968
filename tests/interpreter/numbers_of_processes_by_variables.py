# ruff: noqa
# mypy: ignore-errors
"""How many processes are asked for may stand in an environment variable, or in settings that are asked first."""

import os

import torch_xla.distributed.xla_multiprocessing as xmp


def train(index):
    pass


def eight_unless_a_variable_says_else():
    cores = int(os.environ.get("TPU_NUM_DEVICES", "8"))
    if cores > 1:
        xmp.spawn(train, nprocs=cores)  # expect: XLA002, XLA510 likely


def as_a_number():
    cores = int(os.getenv("CORES", 4))
    xmp.spawn(train, nprocs=cores)  # expect: XLA002, XLA510 likely


def settings_are_more_than_one(settings):
    if settings.use_tpu and settings.tpu.cores > 1:
        xmp.spawn(train, nprocs=settings.tpu.cores)  # expect: XLA002, XLA510 likely
    else:
        train(0)


# Silent -----------------------------------------------------------------------------------------


def one_unless_a_variable_says_else():
    cores = int(os.environ.get("CORES", "1"))
    if cores > 1:
        xmp.spawn(train, nprocs=cores)  # expect: XLA002


def of_a_variable_alone():
    cores = int(os.environ["CORES"])
    xmp.spawn(train, nprocs=cores)  # expect: XLA002


def a_text_that_is_no_number():
    cores = os.environ.get("CORES", "all")
    xmp.spawn(train, nprocs=None if cores == "all" else 1)  # expect: XLA002


def settings_are_one(settings):
    if settings.tpu.cores > 1:
        train(0)
    else:
        xmp.spawn(train, nprocs=settings.tpu.cores)  # expect: XLA002


def settings_of_something_else(settings):
    if settings.tpu.hosts > 1:
        xmp.spawn(train, nprocs=settings.tpu.cores)  # expect: XLA002


def main(settings):
    eight_unless_a_variable_says_else()
    as_a_number()
    settings_are_more_than_one(settings)
    one_unless_a_variable_says_else()
    of_a_variable_alone()
    a_text_that_is_no_number()
    settings_are_one(settings)
    settings_of_something_else(settings)
