"""What `torch.compile` does by its backends, on tensors of XLA: each was run, with 2.9."""

from __future__ import annotations

BY_DEFAULT = "inductor"
"""The backend of `torch.compile` where none is named."""

OF_XLA = "openxla"
"""The backend that torch_xla brings."""

FAILING = frozenset({BY_DEFAULT})
"""Backends that raise an error at the first call with a tensor of XLA."""

GONE = frozenset({"torchxla_trace_once", "aot_torchxla_trace_once"})
"""Backends of earlier releases, for XLA only, of which `torch.compile` says that they are invalid."""

OF_INDUCTOR = ("mode", "options")
"""Arguments of `torch.compile` that other backends do not take."""
