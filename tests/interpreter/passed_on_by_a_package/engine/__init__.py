from .averages import Average
from .config import Config
from .callbacks import Printer
from .training import Trainer

__all__ = ["Average", "Config", "Printer", "Trainer"]
