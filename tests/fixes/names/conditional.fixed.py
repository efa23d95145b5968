"""What may be missing is imported where it was, and not where it always is."""

try:
    import torch_xla

    HAS_XLA = True
except ImportError:
    HAS_XLA = False

try:
    import torch_xla.runtime
except ImportError:
    pass

try:
    import torch_xla
    from torch_xla.distributed.xla_multiprocessing import spawn
except ImportError:
    spawn = None


def train(is_xla):
    if is_xla:
        import torch_xla.core.xla_model as model
    if is_xla:
        model.mark_step()  # stays: an import in this function would hide the `torch_xla` that other lines use
    if HAS_XLA:
        torch_xla.sync()
    if spawn is not None:  # stays: it is passed on, and `launch` takes other arguments than `spawn`
        torch_xla.launch(train, args=(True,))


def lazily():
    import torch_xla

    def inside():
        torch_xla.sync()

    return inside
