"""What methods of modules, optimizers, loaders and other library objects do: data.

By kind of object and name, the effect; `xlalint.analysis.library` says what each effect means, and
what methods of that kind do that are not listed. Methods of tensors are in `operations`.
"""

from __future__ import annotations

from xlalint.lazy.values import Kind

COMPILES = "compile"
"""The method by which a module compiles what a call of it runs."""

CALLED = "forward"
"""The method of a module that a call of it runs."""

SAVES = "save_pretrained"
"""The method by which models of frameworks save themselves: with safetensors, unless told otherwise."""

METHODS: dict[Kind, dict[str, str]] = {
    Kind.MODULE: {
        **dict.fromkeys(("to", "cuda", "cpu"), "move"),
        **dict.fromkeys(("parameters", "buffers"), "parameters"),
        **dict.fromkeys(("named_parameters", "named_buffers"), "named parameters"),
        "state_dict": "state dict",
        **dict.fromkeys(
            (
                "requires_grad_", "half", "float", "bfloat16", "double", "apply",
                "share_memory",
            ),
            "same",
        ),
        **dict.fromkeys((CALLED, "__call__"), "call"),
        **dict.fromkeys(("train", "eval"), "mode"),
        "zero_grad": "zero gradients",
        "clip_grad_norm_": "clip",
        **dict.fromkeys(
            ("modules", "children", "named_modules", "add_module"),
            "unknown object",
        ),
        "load_state_dict": "load state",
        "register_buffer": "keep buffer",
        COMPILES: "compile",
    },
    Kind.OPTIMIZER: {
        "step": "step",
        "zero_grad": "zero gradients",
        "state_dict": "state dict",
        "load_state_dict": "load state",
    },
    Kind.SCALER: {
        "scale": "scale",
        "unscale_": "unscale",
        "step": "step",
    },
    Kind.LOADER: {
        **dict.fromkeys(("set_postfix", "set_description", "set_postfix_str", "write"), "show"),
        **dict.fromkeys(("__iter__", "per_device_loader"), "same"),
        **dict.fromkeys(("next", "__next__"), "next"),
    },
    Kind.CONTAINER: {
        **dict.fromkeys(("append", "add", "insert", "appendleft"), "add"),
        "setdefault": "set default",
        **dict.fromkeys(("extend", "update"), "add all"),
        **dict.fromkeys(("get", "pop", "popleft", "__getitem__"), "get"),
        "items": "items",
        "values": "elements",
        **dict.fromkeys(("keys", "index", "count", "join"), "host"),
        "copy": "same",
        "clear": "clear",
        **dict.fromkeys(("reverse", "sort", "remove"), "nothing"),
        "to": "move",
    },
    Kind.SCOPE: {
        **dict.fromkeys(("enter_context", "enter_async_context"), "enter"),
        "__enter__": "enter itself",
        "__exit__": "leave itself",
    },
    Kind.DEVICE: {
        "startswith": "begins",
        **dict.fromkeys(("lower", "strip"), "same"),
    },
    Kind.HOST: {
        "to": "move",
        "type_as": "move to other",
        **dict.fromkeys(("format", "join"), "show"),
    },
    Kind.UNKNOWN: {
        "to": "move",
        "backward": "backward",
        "zero_grad": "zero gradients",
        **dict.fromkeys(("eval", "parameters", "named_parameters"), "of a module"),
        "state_dict": "state of a part",
        "load_state_dict": "load state",
        SAVES: "save of a part",
        "per_device_loader": "device loader",
        "select": "rows of a range",
        **dict.fromkeys(("add_scalar", "add_scalars", "add_histogram"), "report"),
    },
}  # fmt: skip

MOVES = frozenset(name for name, effect in METHODS[Kind.MODULE].items() if effect == "move")
"""Methods that move a module, in place."""

TIES = "tie_weights"
"""The method by which models of frameworks tie their weights, once more if need be."""
TYING = frozenset({TIES, "resize_token_embeddings"})
"""All of their methods that do so."""

OF_WRAPPERS = frozenset({"join", "no_sync"})
"""Methods that modules have in a wrapper that sums gradients, and no others."""

OF_MODULES = frozenset({
    "T_destination", "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children", "compile",
    "cpu", "cuda", "double", "dump_patches", "eval", "extra_repr", "float", "forward", "get_buffer",
    "get_extra_state", "get_parameter", "get_submodule", "half", "ipu", "load_state_dict", "modules", "mtia",
    "named_buffers", "named_children", "named_modules", "named_parameters", "parameters",
    "register_backward_hook", "register_buffer", "register_forward_hook", "register_forward_pre_hook",
    "register_full_backward_hook", "register_full_backward_pre_hook", "register_load_state_dict_post_hook",
    "register_load_state_dict_pre_hook", "register_module", "register_parameter",
    "register_state_dict_post_hook", "register_state_dict_pre_hook", "requires_grad_", "set_extra_state",
    "set_submodule", "share_memory", "state_dict", "to", "to_empty", "train", "training", "type", "xpu",
    "zero_grad",
})  # fmt: skip
"""All that every module has under a public name."""

NAMING_PARTS = frozenset({"add_module", "register_buffer", "register_module", "register_parameter"})
"""Methods that give a module an attribute, of which they take the name."""

TAKING_OUT = frozenset({"pop", "popleft", "remove"})
"""Methods of lists that take something out."""

XLA_LOADER = "MpDeviceLoader"
"""The class of torch_xla's loaders, as programs write it."""

OF_DATA_LOADERS = frozenset({
    "batch_sampler", "batch_size", "collate_fn", "dataset", "drop_last", "generator", "num_workers",
    "pin_memory", "sampler", "set_epoch", "worker_init_fn",
})  # fmt: skip
"""What a `DataLoader`, or one that derives from it, has, and no loader of torch_xla that goes over it."""

OF_WRAPPED_MODULES = frozenset({
    "all_gather_op", "all_reduce_op", "assert_state", "broadcast_bucket_size", "broadcast_buffers",
    "bucket_bytes_cap", "bucket_bytes_cap_default", "buffer_dtype", "buffer_hook", "check_is_root",
    "clip_grad_norm_", "coalesce_all_gather_ops", "compute_dtype", "device", "device_ids", "device_mesh",
    "device_type", "dim", "disable_reshard_on_root", "find_unused_parameters",
    "flatten_parameters", "flatten_sharded_optim_state_dict", "fp32_reduce_scatter", "fsdp_modules",
    "full_optim_state_dict", "full_param_infos", "full_params", "gather",
    "get_original_names_and_sharded_parameters", "get_shard_metadata", "get_state_dict_type",
    "gradient_as_bucket_view", "gradient_postdivide_factor", "gradient_predivide_factor", "has_full_params",
    "is_multi_device_module", "join", "join_device", "join_hook", "join_process_group", "logger",
    "mixed_precision", "module", "modules_buffers", "named_module_buffers", "no_sync", "optim_state_dict",
    "optim_state_dict_to_load", "optimization_barrier_in_backward", "optimization_barrier_in_forward",
    "optimization_barrier_op", "output_device", "parallel_apply", "parameters_to_ignore", "params_with_grad",
    "process_group", "rank", "reduce_scatter_op", "reducer", "register_comm_hook",
    "rekey_optim_state_dict", "replicate", "require_backward_grad_sync", "require_forward_param_sync",
    "reshard_after_forward", "scatter", "scatter_full_optim_state_dict", "set_gradient_divide_factors",
    "set_state_dict_type", "shard_full_optim_state_dict", "sharded_optim_state_dict", "sharded_params",
    "sharding_groups", "shared_full_param_infos", "skip_all_reduce_unused_params", "src_device_obj",
    "state_dict_type", "static_graph", "summon_full_params", "sync_on_finalization", "to_kwargs",
    "training_state", "use_side_stream_for_tensor_copies", "will_sync_module_buffers", "world_size",
    "xla_device",
})  # fmt: skip
"""What modules have beside that in the wrappers of torch and torch_xla, which hand all else on."""

OF_FUNCTIONS = frozenset({"__call__"})
"""Methods of modules that functions have, too."""

OF_MODULE_CONTAINERS: dict[str, dict[str, str]] = {
    "ModuleList": {**dict.fromkeys(("append", "insert"), "add"), "extend": "add all"},
    "Sequential": {**dict.fromkeys(("append", "insert"), "add"), "extend": "add all"},
    "ModuleDict": {"values": "parts", "items": "named parts"},
}
"""By the last name of a class of torch that holds modules, what its methods do with these."""

OPTIMIZER_HOOKS = frozenset({
    "step", "zero_grad", "unscale_", "update", "scale", "minimize", "_maybe_opt_step", "_unscale_grads_",
    "_init_group",
})  # fmt: skip
"""Methods of optimizers and scalers that torch or any program calls, whatever the class is."""

OF_UNSURE: dict[str, str] = {
    **dict.fromkeys(("train", "eval", "apply", "share_memory"), "same"),
    **dict.fromkeys(("parameters", "named_parameters", "buffers", "named_buffers"), "parameters"),
    **dict.fromkeys(("modules", "named_modules", "children", "named_children", SAVES), "modules"),
    **dict.fromkeys(("state_dict", "load_state_dict", "zero_grad", "requires_grad_"), "state dict"),
    "items": "items",
    "keys": "keys",
    "values": "elements",
    **dict.fromkeys(("get", "pop"), "part"),
    **dict.fromkeys(("startswith", "endswith", "lower", "upper", "split", "strip"), "text"),
}
"""Methods by which the result of an unknown callable on device values shows that it is no tensor but
a module, a mapping or text."""

HOST_STATE = (
    "scheduler", "sampler", "args", "config", "tokenizer", "processor", "rng", "history", "metric",
    "metadata",
)  # fmt: skip
"""Words in the names of what training programs save and the host holds."""


def is_named_as_hosts(name: str) -> bool:
    """Whether what goes by a name is known to be the host's."""
    return any(word in name.lower() for word in HOST_STATE)


BOOKKEEPING = frozenset({
    "append", "update", "add", "log", "info", "debug", "warning", "write", "flush", "set_postfix",
    "set_description", "add_scalar", "add_scalars",
})  # fmt: skip
"""Methods that keep or report numbers, mostly; of an unknown object it is assumed where nobody uses what they
return."""
SCHEDULER, SCHEDULES = "sched", "step"
"""What is named so sets a learning rate by that method, as far as is assumed."""
