#!/usr/bin/env python
# A file with two blanks, tabs and some more.
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr



for batch in range(3):
  x = 1 + \
      2
  if x: torch_xla.sync()
  else: torch_xla.sync ( wait = True )  ;  print( "é", xr.global_ordinal( ) )  # ü: xm.mark_step()
for batch in range(3):
	torch_xla.sync()
	print(f"{xr.global_ordinal()!r:>8} of {xr.world_size()}", """
  xm.mark_step()
	""", (
		xr.world_size()
	))
