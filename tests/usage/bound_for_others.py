"""A function may import a name that others use."""


def binds():
    global xm
    import torch_xla.core.xla_model as xm  # uses: torch_xla.core.xla_model


def steps():
    xm.mark_step()  # uses: torch_xla.core.xla_model.mark_step


def around():
    import torch_xla as xla  # uses: torch_xla

    def inside():
        xla.sync()  # uses: torch_xla.sync

    return inside
