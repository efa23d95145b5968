"""What older releases of torch had and that of today has not, be it a module or something in one.

Also private names of torch_xla, which the measured tables lack, and what Lightning took before its release 2.

Names that torch has never had are none of it: they may be of a release that comes, or of what a vendor adds.
A test holds the table against the installed torch.
"""

from __future__ import annotations

from collections.abc import Mapping
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

LIGHTNING_1: Final = (2, 7)
"""The release of torch_xla with which no Lightning before 2.0 works: those from 0.7.6 to 1.9.5 ask it for
`xrt_world_size` and `get_ordinal` before they train on a device of XLA, those since 1.5 when they look for
one."""

_TAKEN_BY_TRAINERS: Final = """
    add_row_log_interval amp_backend amp_level auto_lr_find auto_scale_batch_size auto_select_gpus
    automatic_optimization checkpoint_callback default_save_path distributed_backend early_stop_callback
    enable_pl_optimizer flush_logs_every_n_steps gpus gradient_clip ipus log_gpu_memory log_save_interval
    max_nb_epochs min_nb_epochs move_metrics_to_cpu multiple_trainloader_mode nb_gpu_nodes
    nb_sanity_val_steps num_processes num_tpu_cores overfit_pct prepare_data_per_node print_nan_grads
    process_position progress_bar_callback progress_bar_refresh_rate reload_dataloaders_every_epoch
    replace_sampler_ddp resume_from_checkpoint row_log_interval show_progress_bar stochastic_weight_avg
    terminate_on_nan test_percent_check tpu_cores track_grad_norm train_percent_check truncated_bptt_steps
    use_amp val_percent_check weights_save_path weights_summary
"""
OF_LIGHTNING: Final = frozenset(
    {
        "lightning.Trainer.add_argparse_args",
        "lightning.Trainer.from_argparse_args",
        "lightning.Trainer.tune",
        *(f"lightning.Trainer({name})" for name in _TAKEN_BY_TRAINERS.split()),
    }
)
"""What Lightning had before 2.0, and has in 2.0.9 and 2.5.5 no more."""

REFUSED_ON_XLA: Final[Mapping[str, Mapping[str, object]]] = {
    "accelerate.Accelerator": {"mixed_precision": "fp16"},
    "torch.distributed.init_process_group": {"backend": "nccl"},
    "transformers._TrainingArguments": {"fp16": True},
    **{f"trl.{name}Config": {"fp16": True} for name in ("SFT", "DPO", "ORPO", "KTO", "GRPO", "Reward")},
}
"""Arguments for which a class or function raises on a TPU: accelerate and NCCL want a GPU for these."""

PLACES: Final = {"backend": 0}
"""Where those of them stand that are mostly given by their places."""

BY_BITSANDBYTES: Final = ("load_in_4bit", "load_in_8bit")
"""With these a model of transformers is loaded by bitsandbytes, which has nothing for XLA."""

REFUSED_BY_LIGHTNING: Final = {
    "lightning.LightningModule": (
        ("training_epoch_end", None),
        ("validation_epoch_end", None),
        ("training_step", "optimizer_idx"),
    )
}
"""Methods, or parameters of them, for which Lightning 2 does not train a class that derives from its own."""

AT_IMPORT: Final = (b"_TypedStorage", b"_UntypedStorage")
"""What programs use of these while their modules are imported, beside importing it."""
