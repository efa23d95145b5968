"""Arguments keep their meaning, whatever they are called; what had no effect goes."""

from functools import partial

import torch_xla
import torch_xla.runtime as xr

count = 8

torch_xla.sync(True)
torch_xla.sync(wait=True, reset_scope=False)
torch_xla.sync(**{"wait": True})
callback = torch_xla.sync
partial(torch_xla.sync, wait=True)
partial(torch_xla.device)

torch_xla.device(1)
torch_xla.device(index=1)
torch_xla.device()
torch_xla.device(1)
torch_xla.device(index=1)
torch_xla.device(
    index=1,  # the second
)
torch_xla.device(
    index=1,
)
torch_xla.device()
torch_xla.device ()

xr.world_size()
xr.global_ordinal()


def main(index):
    pass


torch_xla.launch(main)
torch_xla.launch(main, args=())
torch_xla.launch(main, args=())
torch_xla.launch(main, args=())
torch_xla.launch(main, args=(), debug_single_process=True)
torch_xla.launch(main, args=(), debug_single_process=count == 1)
torch_xla.launch(main, args=(), debug_single_process=(count if count > 1 else None) == 1, start_method="fork")
torch_xla.launch(main, ())
torch_xla.launch(main, (), debug_single_process=count == 1, start_method="fork")
torch_xla.launch(main, args=())
torch_xla.launch(main, start_method="fork")
