"""Sets up more than names: whoever takes one from here keeps the import."""

import os

from torch_xla.core.xla_model import get_ordinal

os.environ.setdefault("XLA_USE_SPMD", "0")
