"""Whatever all names of another module may hide stays: who knows what `mark_step` is then."""

from torch_xla.core.xla_model import *
from helpers import *

mark_step()
