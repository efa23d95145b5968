"""Takes what it needs from the other module, and names no package of it."""

import compat
from compat import xla_device


def end():
    compat.mark_step()
    return xla_device()
