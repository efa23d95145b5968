"""What another module passes on is renamed only where torch_xla itself is there."""

from compat import xm


def cut():
    xm.mark_step()  # stays: `torch_xla` is not imported wherever `xm` is there


def cut_here():
    import torch_xla

    xm.mark_step()
    return torch_xla
