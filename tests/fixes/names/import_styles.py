"""Whatever way a name was imported: what replaces it comes by an import at the same place."""


def under_the_usual_name():
    import torch_xla.core.xla_model as xm

    xm.mark_step()
    return xm.xrt_world_size()


def still_needed():
    import torch_xla.core.xla_model as xm

    xm.mark_step()
    xm.save({}, "model.pt")


def as_a_member_of_its_package():
    from torch_xla.core import xla_model

    xla_model.mark_step()
    return xla_model.get_ordinal()


def in_full():
    import torch_xla.core.xla_model

    torch_xla.core.xla_model.mark_step(wait=True)
    return torch_xla.core.xla_model.get_local_ordinal()


def in_full_and_still_needed():
    import torch_xla.core.xla_model

    torch_xla.core.xla_model.mark_step()
    torch_xla.core.xla_model.master_print("done")


def name_by_name():
    from torch_xla.core.xla_model import mark_step, xla_device as get_device

    device = get_device()
    mark_step()
    return device


def in_parentheses():
    from torch_xla.core.xla_model import (
        all_reduce,
        mark_step,  # cuts the graph
        # counts the replicas
        xrt_world_size, get_ordinal,
        save,  # on the master
    )

    mark_step()
    save(all_reduce("sum", xrt_world_size()), f"part-{get_ordinal()}.pt")


def in_parentheses_on_one_line():
    from torch_xla.core.xla_model import (mark_step, optimizer_step)

    optimizer_step(None)
    mark_step()


def two_lines_and_a_backslash():
    from torch_xla.core.xla_model import optimizer_step, \
        mark_step

    optimizer_step(None)
    mark_step()


def two_on_a_line():
    import os; import torch_xla.core.xla_model as xm; import sys

    xm.mark_step(); print(os.sep, sys.path); xm.mark_step()


def on_one_line(): import torch_xla.core.xla_model as xm; xm.mark_step()


def only_if_wanted(wanted):
    if wanted: import torch_xla.core.xla_model as xm
    if wanted:
        xm.mark_step()


def several_at_once():
    import os, torch_xla.core.xla_model as xm, sys

    xm.mark_step()
    return os, sys


def with_a_word_to_another_tool():
    import torch_xla.core.xla_model as xm  # type: ignore[import]

    xm.mark_step()


def twice():
    import torch_xla.core.xla_model as xm

    xm.mark_step()

    def inside():
        import torch_xla.core.xla_model as xm

        xm.mark_step()

    return inside
