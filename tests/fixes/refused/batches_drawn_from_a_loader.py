# select: XLA002
# refused: line 13 draws from it
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def first_batches(loader, count):
    device = torch_xla.device()
    batches = pl.ParallelLoader(loader, [device]).per_device_loader(device)

    def draw():
        # The loader is an iterator itself.
        return next(batches)

    return [draw() for _ in range(count)]
