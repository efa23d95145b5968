try:
    import torch_xla.core.xla_model as xm
except ImportError:
    xm = None
