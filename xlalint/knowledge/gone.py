"""What older releases of torch had and that of today has not, be it a module or something in one.

Also private names of torch_xla, which the measured tables lack.

Names that torch has never had are none of it: they may be of a release that comes, or of what a vendor adds.
A test holds the table against the installed torch.
"""

from __future__ import annotations

from typing import Final

_TODAY: Final = (2, 9)
"""Of some it is known that they are gone, and not since when."""

OF_TORCH: Final[dict[str, tuple[tuple[int, int], str]]] = {
    "torch._six": ((2, 0), "take `inf` from `torch`, and write `str` and `collections.abc` for the rest"),
    "torch.storage._TypedStorage": ((2, 0), "use `torch.TypedStorage`"),
    "torch.storage._UntypedStorage": ((2, 0), "use `torch.UntypedStorage`"),
    "torch._TypedStorage": ((2, 0), "use `torch.TypedStorage`"),
    "torch._UntypedStorage": ((2, 0), "use `torch.UntypedStorage`"),
    "torch.nn.modules.linear._LinearWithBias": ((2, 0), "use `NonDynamicallyQuantizableLinear`"),
    "torch.set_deterministic": ((2, 0), "use `torch.use_deterministic_algorithms`"),
    "torch.is_deterministic": ((2, 0), "use `torch.are_deterministic_algorithms_enabled`"),
    "torch.rfft": ((1, 8), "use `torch.fft.rfft`"),
    "torch.irfft": ((1, 8), "use `torch.fft.irfft`"),
    "torch.ifft": ((1, 8), "use `torch.fft.ifft`"),
    "torch.gels": ((1, 8), "use `torch.linalg.lstsq`"),
    "torch.legacy": ((1, 8), ""),
    "torch.nn._functions": ((1, 8), ""),
    "torch.utils.ffi": ((1, 8), "use `torch.utils.cpp_extension`"),
    "torch.utils.trainer": ((1, 8), ""),
    "torch.distributed.deprecated": ((1, 8), ""),
    "torch.utils.data.dataloader._DataLoaderIter": ((1, 8), ""),
    "torch.utils.data.dataloader.DataLoaderIter": ((1, 8), ""),
    "torch.utils.data.dataloader.numpy_type_map": ((1, 8), ""),
    "torch._overrides": ((1, 8), "use `torch.overrides`"),
    "torch._masked": (_TODAY, "use `torch.masked`"),
    "torch._utils._accumulate": (_TODAY, "use `itertools.accumulate`"),
    "torch._dynamo.allowed_functions": (_TODAY, ""),
    "torch._dynamo.optimizations": (_TODAY, ""),
    "torch._export.capture_pre_autograd_graph": (_TODAY, "use `torch.export.export`"),
    "torch._export.dynamic_dim": (_TODAY, "use `torch.export.Dim`"),
    "torch.export.dynamic_dim": (_TODAY, "use `torch.export.Dim`"),
    "torch.ao.sparsity": (_TODAY, "use `torch.ao.pruning`"),
    "torch.distributed._shard.partial_tensor": (_TODAY, ""),
    "torch.distributed._shard.replicated_tensor": (_TODAY, ""),
    "torch.distributed._spmd": (_TODAY, ""),
    "torch.distributed.fsdp.flatten_params_wrapper": (_TODAY, ""),
    "torch.distributed.fsdp.wrap.default_auto_wrap_policy": (_TODAY, "use `size_based_auto_wrap_policy`"),
    "torch.distributed.pipeline": (_TODAY, "use `torch.distributed.pipelining`"),
    "torch.fx.experimental.fx2trt": (_TODAY, ""),
    "torch.fx.experimental.fx_acc": (_TODAY, ""),
    "torch.nn.modules.utils.container_abcs": (_TODAY, "use `collections.abc`"),
    "torch.nn.utils._stateless": (_TODAY, "use `torch.func.functional_call`"),
    "torch.onnx.CheckerError": (_TODAY, ""),
    "torch.onnx.symbolic_caffe2": (_TODAY, ""),
    "torch.optim.lr_scheduler.SAVE_STATE_WARNING": (_TODAY, ""),
    "torch.testing.make_non_contiguous": (_TODAY, ""),
    "torch.utils.data._utils.collate.container_abcs": (_TODAY, "use `collections.abc`"),
    "torch.utils.data._utils.collate.string_classes": (_TODAY, "use `str` and `bytes`"),
    "torch.utils.data.communication": (_TODAY, ""),
    "torch.utils.data.dataloader_experimental": (_TODAY, ""),
}
"""By name, the release of torch that it is gone from, or the newest, and what to do instead."""

_OF_XRT: Final = """
    _create_gpu_devices _get_devices_per_worker _get_local_worker_index _get_mp_device_ordinal
    _get_multiprocessing_device _get_world_size _is_xla_config _local_index_to_global _mp_start_fn
    _parse_tpu_config _parse_workers_config _pre_fork_setup _prepare_env_for_index _run_direct
    _setup_gpu_worker _setup_replication _setup_tpu_worker _setup_world_size _start_fn
    _wants_tpu_env_config
"""
_NO_XRT: Final = "remove it: PJRT finds its devices, and starts its replicas, by itself"
OF_XRT: Final[dict[str, tuple[tuple[int, int], str]]] = {
    "torch_xla.distributed.xla_multiprocessing._setup_workers": ((2, 0), _NO_XRT),
    **{f"torch_xla.distributed.xla_multiprocessing.{name}": ((2, 1), _NO_XRT) for name in _OF_XRT.split()},
}
"""What torch_xla kept to itself, and programs took nevertheless, of the runtime before PJRT: it is in the
sources of 1.13.0, and not in those of the release that is named, nor of 2.9.0."""

AT_IMPORT: Final = (b"_TypedStorage", b"_UntypedStorage")
"""What programs use of these while their modules are imported, beside importing it."""
