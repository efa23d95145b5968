from .devices import device_of, loader_of, step_of
from .more import *
from .training import Trainer
