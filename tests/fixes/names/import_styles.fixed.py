"""Whatever way a name was imported: what replaces it comes by an import at the same place."""


def under_the_usual_name():
    import torch_xla
    import torch_xla.runtime as xr

    torch_xla.sync()
    return xr.world_size()


def still_needed():
    import torch_xla
    import torch_xla.core.xla_model as xm

    torch_xla.sync()
    xm.save({}, "model.pt")


def as_a_member_of_its_package():
    import torch_xla
    from torch_xla import runtime as xr

    torch_xla.sync()
    return xr.global_ordinal()


def in_full():
    import torch_xla
    import torch_xla.runtime as xr

    torch_xla.sync(wait=True)
    return xr.local_ordinal()


def in_full_and_still_needed():
    import torch_xla.core.xla_model

    torch_xla.sync()
    torch_xla.core.xla_model.master_print("done")


def name_by_name():
    import torch_xla

    device = torch_xla.device()
    torch_xla.sync()
    return device


def in_parentheses():
    import torch_xla
    import torch_xla.runtime as xr
    from torch_xla.core.xla_model import (
        all_reduce,
        save,  # on the master
    )

    torch_xla.sync()
    save(all_reduce("sum", xr.world_size()), f"part-{xr.global_ordinal()}.pt")


def in_parentheses_on_one_line():
    import torch_xla
    from torch_xla.core.xla_model import optimizer_step

    optimizer_step(None)
    torch_xla.sync()


def two_lines_and_a_backslash():
    import torch_xla
    from torch_xla.core.xla_model import optimizer_step

    optimizer_step(None)
    torch_xla.sync()


def two_on_a_line():
    import os; import torch_xla; import sys

    torch_xla.sync(); print(os.sep, sys.path); torch_xla.sync()


def on_one_line(): import torch_xla; torch_xla.sync()


def only_if_wanted(wanted):
    if wanted: import torch_xla
    if wanted:
        torch_xla.sync()


def several_at_once():
    import os, sys
    import torch_xla

    torch_xla.sync()
    return os, sys


def with_a_word_to_another_tool():
    import torch_xla  # type: ignore[import]

    torch_xla.sync()


def twice():
    import torch_xla

    torch_xla.sync()

    def inside():
        torch_xla.sync()

    return inside
