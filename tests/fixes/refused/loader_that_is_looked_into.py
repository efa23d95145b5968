# select: XLA002
# refused: line 14 asks for what only the loader of one device has
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Callback:
    def __init__(self, data):
        self.data = data

    def on_epoch_begin(self):
        device = torch_xla.device()
        self.data.loader = pl.ParallelLoader(self.data.rows, [device]).per_device_loader(device)
        self.data.dataset = self.data.loader._loader._loader.dataset
