import torch
import torch_xla

from . import one, other
from .one import lost
from .other import *
from .other import given

model = torch.nn.Linear(4, 4).to(torch_xla.device())
