"""Where each import has brought torch_xla along before, it is not imported once more."""

try:
    import torch_xla
    import torch_xla.core.xla_model as xm
except Exception as error:
    print(error)

print(xm.xla_device())

try:
    import torch_xla
    import torch_xla.core.xla_model as xm

    print(xm.xla_device())
except Exception as error:
    print(error)

xm.mark_step()
