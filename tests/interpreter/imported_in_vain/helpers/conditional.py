import sys

import torch_xla

device = torch_xla.device
if sys.platform == "linux":
    from helpers.plain import device as setup
