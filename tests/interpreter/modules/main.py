# ruff: noqa
# mypy: ignore-errors
"""Names that come from other modules of the project, whichever way."""

import torch
import torch_xla

import helper
import helper as alias
import package.reading
import package.inner.deep as deep
from helper import read, read as other_name
from package import read_again, read_through_star
from package.inner import relative
from package.optional import HAS_XLA, sync, xm
from package.settings import device, model

x = torch.randn(4, 4, device=device)


def module():
    with torch_xla.step():
        helper.read(model(x))  # expect: XLA101
        alias.read(model(x))  # expect: XLA101


def function():
    with torch_xla.step():
        read(model(x))  # expect: XLA101
        other_name(model(x))  # expect: XLA101


def module_of_a_package():
    with torch_xla.step():
        package.reading.read(model(x))  # expect: XLA101
        deep.read(model(x))  # expect: XLA101


def re_exported():
    with torch_xla.step():
        read_again(model(x))  # expect: XLA101


def re_exported_by_a_star():
    with torch_xla.step():
        read_through_star(model(x))  # expect: XLA101


def relative_import():
    with torch_xla.step():
        relative.read(model(x))  # expect: XLA101


def import_in_a_function():
    from package.reading import read as inner_read

    with torch_xla.step():
        inner_read(model(x))  # expect: XLA101


def optional_import():
    torch_xla.sync()
    if xm is not None:
        loss = model(x)
        xm.mark_step()  # state: heavy  # expect: XLA002
        print(loss)  # state: none


def optional_function():
    torch_xla.sync()
    loss = model(x)
    sync()  # state: heavy
    print(loss)  # state: none


def known_by_an_imported_name_only():
    for number in range(3):
        loss = model(x)
        print(loss.item())  # expect: XLA102
        sync()  # expect: XLA201


def optional_flag():
    torch_xla.sync()
    if HAS_XLA:
        model(x)
    print("it is there")  # state: heavy


def availability():
    from transformers.utils import is_torch_xla_available

    torch_xla.sync()
    if is_torch_xla_available():
        model(x)
    print("it is there")  # state: heavy


def other_backends():
    torch_xla.sync()
    if torch.cuda.is_available():
        model(x)
    print("it is not there")  # state: none


def import_cycle():
    from package.cycle_one import one

    with torch_xla.step():
        one(model(x))  # expect: XLA101
