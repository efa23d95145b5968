"""Takes what it needs from other modules, and names no package of it."""

import compat
import passed
from compat import xla_device
from setup_xla import get_ordinal


def end():
    compat.mark_step()
    passed.xm.mark_step()
    return xla_device(), get_ordinal()
