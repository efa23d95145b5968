"""Where each import has brought torch_xla along before, it is not imported once more."""

try:
    import torch_xla
except Exception as error:
    print(error)

print(torch_xla.device())

try:
    import torch_xla

    print(torch_xla.device())
except Exception as error:
    print(error)

torch_xla.sync()
