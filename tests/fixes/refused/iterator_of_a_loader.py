# select: XLA002
# refused: line 13 has to return an iterator
import torch_xla.distributed.parallel_loader as pl


class Batches:
    def __init__(self, loader, device):
        self.loader = loader
        self.device = device

    def __iter__(self):
        batches = pl.ParallelLoader(self.loader, [self.device])
        return batches.per_device_loader(self.device)
