#!/usr/bin/env python
# A file with two blanks, tabs and some more.
import torch_xla.core.xla_model as xm



for batch in range(3):
  x = 1 + \
      2
  if x: xm.mark_step()
  else: xm.mark_step ( wait = True )  ;  print( "é", xm . get_ordinal( ) )  # ü: xm.mark_step()
for batch in range(3):
	xm.mark_step()
	print(f"{xm.get_ordinal()!r:>8} of {xm.xrt_world_size()}", """
  xm.mark_step()
	""", (
		xm
		.xrt_world_size()
	))
