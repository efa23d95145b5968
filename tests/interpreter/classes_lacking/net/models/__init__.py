"""The models of a package, but one of them."""

from net.models import parts
from net.models.small import Small
