"""What methods of modules, optimizers, loaders and other library objects do: data.

By kind of object and name, the effect; `xlalint.analysis.library` says what each effect means, and
what methods of that kind do that are not listed. Methods of tensors are in `operations`.
"""

from __future__ import annotations

from xlalint.lazy.values import Kind

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
        **dict.fromkeys(("forward", "__call__"), "call"),
        **dict.fromkeys(("train", "eval"), "mode"),
        "zero_grad": "zero gradients",
        "clip_grad_norm_": "clip",
        **dict.fromkeys(
            ("modules", "children", "named_modules", "load_state_dict", "add_module"),
            "unknown object",
        ),
        "register_buffer": "keep buffer",
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
        **dict.fromkeys(("clear", "reverse", "sort", "remove"), "nothing"),
        "to": "move",
    },
    Kind.SCOPE: {
        **dict.fromkeys(("enter_context", "enter_async_context"), "enter"),
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
        "per_device_loader": "device loader",
        "select": "rows of a range",
    },
}  # fmt: skip

MOVES = frozenset(name for name, effect in METHODS[Kind.MODULE].items() if effect == "move")
"""Methods that move a module, in place."""

TIES = "tie_weights"
"""The method by which models of frameworks tie their weights, once more if need be."""
TYING = frozenset({TIES, "resize_token_embeddings"})
"""All of their methods that do so."""

OF_WRAPPERS = frozenset({"join", "no_sync"})
"""Methods that wrapped modules have, and no others."""

OF_WRAPPERS = frozenset({"join", "no_sync"})
"""Methods that modules have in a wrapper that sums gradients, and no others."""

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
    **dict.fromkeys(("modules", "named_modules", "children", "named_children"), "modules"),
    **dict.fromkeys(("state_dict", "load_state_dict", "zero_grad", "requires_grad_"), "state dict"),
    "items": "items",
    "keys": "keys",
    "values": "elements",
    **dict.fromkeys(("get", "pop"), "part"),
    **dict.fromkeys(("startswith", "endswith", "lower", "upper", "split", "strip"), "text"),
}
"""Methods by which the result of an unknown callable on device values shows that it is no tensor but
a module, a mapping or text."""

HOST_STATE = ("scheduler", "sampler", "args", "config", "tokenizer", "rng", "history", "metric", "metadata")
"""Words in the names of what training programs save and the host holds."""

BOOKKEEPING = frozenset({
    "append", "update", "add", "log", "info", "debug", "warning", "write", "flush", "set_postfix",
    "set_description", "add_scalar", "add_scalars",
})  # fmt: skip
"""Methods that keep or report numbers, mostly; of an unknown object it is assumed where nobody uses what they
return."""
SCHEDULER, SCHEDULES = "sched", "step"
"""What is named so sets a learning rate by that method, as far as is assumed."""
