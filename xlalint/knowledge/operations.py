"""What operations on tensors do to the engine: one row for the function and the method form.

`torch.nonzero(mask)`, `torch.nn.functional.relu(x)` and `mask.nonzero()` are looked up by their last
name. Operations that are not listed record light work.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeVar

_Given = TypeVar("_Given")


class Operation(Enum):
    """What an operation does to the engine."""

    READ = "moves the value to the host, as the programmer asked"
    ARRAY = "raises, unless it is forced: then it moves the value to the host"
    ASK = "answers with a Python bool, for which it reads the tensor"
    HOST = "is answered by Python, without running anything"
    FOREIGN = "is of sparse and quantized tensors, which no XLA tensor is"
    SAME = "gives the tensor itself"
    MOVE = "moves the tensor to where its argument says, or casts it"
    CAST = "casts the tensor when it has an argument, else names its type"
    BACKWARD = "computes gradients"
    LIGHT = "records views, casts, elementwise work or reductions"
    HEAVY = "records a model's worth of work"

    __hash__ = object.__hash__


ON_HOST = frozenset({
    "bincount", "bucketize", "ctc_loss", "grid_sample", "histc", "huber_loss", "median", "nanmedian",
    "searchsorted",
})  # fmt: skip
"""Operations that torch_xla has the host compute: the engine first runs what they are computed from. Each was
run with torch_xla 2.9: a read of the result runs nothing but what was recorded since."""

OPERATIONS: dict[str, Operation] = {
    name: operation
    for operation, names in {
        Operation.READ: ("item", "tolist", "cpu"),
        Operation.ARRAY: ("numpy",),
        Operation.ASK: ("equal", "allclose", "is_nonzero", "__bool__"),
        Operation.HOST: (
            "size", "dim", "numel", "nelement", "stride", "element_size", "ndimension", "get_device",
            "is_contiguous", "_indices", "sparse_dim", "dense_dim", "storage_offset", "data_ptr",
            "register_hook", "retain_grad", "__len__", "is_pinned", "is_shared", "untyped_storage",
        ),
        Operation.FOREIGN: ("_nnz", "qscheme", "q_scale", "q_zero_point", "q_per_channel_axis"),
        Operation.SAME: ("cuda", "detach", "detach_", "requires_grad_", "share_memory_"),
        Operation.MOVE: ("to",),
        Operation.CAST: ("type",),
        Operation.BACKWARD: ("backward",),
        Operation.LIGHT: (
            "mean", "sum", "float", "half", "long", "int", "bool", "argmax", "argmin", "max", "min", "eq",
            "ne", "lt", "gt", "view", "reshape", "squeeze", "unsqueeze", "transpose", "permute", "contiguous",
            "clone", "mul_", "add_", "div_", "mul", "add", "sub", "div", "pow", "sqrt", "exp", "log", "any",
            "all", "isnan", "isfinite", "expand", "repeat", "flatten", "norm", "type_as", "masked_fill",
            "masked_fill_", "softmax", "log_softmax", "sigmoid", "tanh", "relu", "scatter", "scatter_",
            "gather", "index_select", "clamp", "clamp_", "fill_", "zero_", "copy_", "data", "topk",
            "bfloat16", "double", "t", "abs", "neg", "cumsum", "chunk", "split", "new_zeros", "new_ones",
            "new_full", "nll_loss", "addcdiv", "addcdiv_", "addcmul", "addcmul_", "amax", "amin", "aminmax",
            "argsort", "argwhere", "atan2", "bernoulli", "bernoulli_", "bincount", "bitwise_and",
            "bitwise_not", "bitwise_or", "bitwise_xor", "broadcast_to", "ceil", "clamp_max", "clamp_max_",
            "clamp_min", "clamp_min_", "clip_", "cos", "count_nonzero", "cummax", "cummin", "cumprod",
            "diag_embed", "diagonal", "erf", "exp_", "expand_as", "expm1", "exponential_", "fill_diagonal_",
            "flip", "fliplr", "flipud", "floor", "floor_divide", "fmod", "ge", "histc", "index_add",
            "index_add_", "index_copy", "index_copy_", "index_fill", "index_fill_", "index_put", "index_put_",
            "isclose", "isinf", "kthvalue", "le", "lerp", "lerp_", "log10", "log1p", "log2", "logcumsumexp",
            "logical_and", "logical_not", "logical_or", "logical_xor", "logsumexp", "masked_scatter",
            "masked_scatter_", "masked_select", "maximum", "minimum", "moveaxis", "movedim", "multinomial",
            "nan_to_num", "nan_to_num_", "narrow", "new_empty", "new_tensor", "nonzero", "normal_", "prod",
            "quantile", "random_", "reciprocal", "relu_", "remainder", "renorm", "repeat_interleave",
            "reshape_as", "roll", "rot90", "rsqrt", "scatter_add", "scatter_add_", "scatter_reduce",
            "scatter_reduce_", "sigmoid_", "sign", "sin", "square", "squeeze_", "std", "sub_", "swapaxes",
            "swapdims", "take_along_dim", "tensor_split", "tile", "tril", "triu", "trunc", "unbind",
            "unflatten", "unfold", "uniform_", "unique", "unique_consecutive", "unsqueeze_", "var", "view_as",
        ),
        Operation.HEAVY: (
            "matmul", "mm", "bmm", "addmm", "baddbmm", "mv", "dot", "__matmul__", "addmv", "addbmm", "inner",
            "svd", "qr", "cholesky", "inverse", "pinverse", "eig", "linear", "bilinear", "einsum", "cdist",
            "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
            "embedding", "scaled_dot_product_attention", "multi_head_attention_forward", "cross_entropy",
            "tensordot", "chain_matmul", "lstm", "gru", "rnn_tanh", "rnn_relu",
        ),
    }.items()
    for name in names
}  # fmt: skip
"""By name. What is LIGHT here only tensors have: an unsure value that is asked for it is a tensor."""

OF_MODULES_TOO = frozenset({
    "float", "half", "double", "bfloat16", "log", "cuda", "requires_grad_", "share_memory_",
})  # fmt: skip
"""Operations whose names are also those of methods of modules, `torch.nn.Module`'s or Lightning's: they show
nothing of what was moved to the device."""

CREATIONS = frozenset({
    "tensor", "as_tensor", "zeros", "ones", "full", "empty", "rand", "randn", "randint", "arange",
    "linspace", "eye", "randperm", "from_numpy", "scalar_tensor", "logspace", "normal", "FloatTensor",
    "LongTensor", "IntTensor", "BoolTensor", "Tensor", "HalfTensor", "DoubleTensor",
})  # fmt: skip
"""Functions of torch that make a tensor; it is on the device only if `device=` says so."""

MASKING = frozenset({"torch.nn.Transformer", "torch.nn.modules.transformer.Transformer"})
"""Classes of torch whose `generate_square_subsequent_mask` makes a tensor."""

COPIES = frozenset({"tensor", "as_tensor"})
"""Those of them that make it of what they are given."""

INTO_HOST = frozenset({"add_", "sub_", "mul_", "div_", "copy_"})
"""Methods by which a tensor on the CPU takes up one of the device, which is read for that; others raise."""

LIKE = "_like"
"""Functions whose names end so make a tensor like their argument."""

TENSOR_PARTS = frozenset({"data", "grad", "running_mean", "running_var"})
"""Attributes of parameters and layers that are one tensor."""

MAKES_ONE_TENSOR = CREATIONS | {
    "clone", "detach", "contiguous", "to", "float", "mean", "sum", "stack", "cat",
    *(f"{name}{LIKE}" for name in ("zeros", "ones", "full", "empty", "rand", "randn")),
}  # fmt: skip
"""Functions and methods that make one tensor of what they are given, and never a list."""

CLASSES_OF_TENSORS = frozenset({"torch.Tensor", "Tensor"})
"""How an annotation says that a parameter is one tensor."""

SHAPED_BY_DATA: dict[str, tuple[int, str]] = {
    **dict.fromkeys(("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive"), (0, "")),
    "bincount": (3, "minlength"),
    "where": (2, "input"),
    "one_hot": (2, "num_classes"),
}
"""Operations whose result has a shape that the numbers decide on. Of some only while they get fewer
arguments than so many, counted with the tensor itself, and not the one of this name."""

GRAPH_NUMBERS: dict[str, frozenset[tuple[int, str]]] = {
    **dict.fromkeys(
        (
            "arange", "zeros", "ones", "empty", "rand", "randn", "eye", "randperm",
            "new_zeros", "new_ones", "new_empty",
            "roll", "narrow", "select", "expand", "repeat", "tile", "repeat_interleave", "view", "reshape",
            "split", "unfold", "as_strided", "diagonal", "tril", "triu", "topk", "kthvalue", "one_hot",
            "pad", "interpolate", "pow", "__pow__", "__rpow__", "bitwise_left_shift", "bitwise_right_shift",
        ),
        frozenset(),
    ),
    "full": frozenset({(1, "fill_value")}),
    "new_full": frozenset({(2, "fill_value")}),
    "linspace": frozenset({(0, "start"), (1, "end")}),
    "logspace": frozenset({(0, "start"), (1, "end")}),
}  # fmt: skip
"""Operations of which the numbers that they get are a part of the graph: another number is another graph.
Not so those of these parameters, which go to the device as data; they are counted with the tensor itself."""

SHAPE_KEPT = frozenset({
    "roll", "tril", "triu", "pow", "__pow__", "__rpow__", "bitwise_left_shift", "bitwise_right_shift",
})  # fmt: skip
"""Those of them whose result has the shape of what they get."""

VIEWS_OF_HOST = frozenset({
    "to", "float", "long", "int", "half", "double", "bfloat16", "bool", "type", "clone", "contiguous",
    "detach", "unsqueeze", "squeeze", "t", "transpose", "permute", "flatten", "view", "reshape", "expand",
    "repeat", "pin_memory", "requires_grad_", "tolist", "numpy", "copy", "astype",
})  # fmt: skip
"""Methods of a tensor on the host whose result has another shape where the tensor has."""

COUNTED_BY_HOST = frozenset({"unique", "unique_consecutive", "bincount"})
"""Those of them that the host runs, and that a function with one graph only may hold all the same."""

DRAWING = frozenset({
    "rand", "randn", "randint", "randperm", "normal", "rand_like", "randn_like", "randint_like", "bernoulli",
    "bernoulli_", "normal_", "uniform_", "random_", "exponential_", "geometric_", "cauchy_", "log_normal_",
    "trunc_normal_", "kaiming_normal_", "kaiming_uniform_", "xavier_normal_", "xavier_uniform_",
    "gumbel_softmax",
})  # fmt: skip
"""Operations that draw random numbers where their tensor lives, unless they get a generator."""

DRAWN_ALONE = {"rand": False, "randn": False, "randint": True}
"""Factories by which programs draw a single number on the host, and whether that is an integer."""

DRAWN_APART = frozenset({"randperm", "geometric_", "cauchy_", "log_normal_", "random_"})
"""Those of them that a graph gets as they are: how the numbers before were drawn is no part of it."""

SAMPLING = frozenset({"sample", "rsample", "sample_n"})
"""Methods of distributions that draw."""

DROPPING = frozenset({
    "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout", "rrelu",
})  # fmt: skip
"""Operations that draw random numbers while a model trains."""

COPYING = frozenset({"tolist", "cpu", "numpy"})
"""Reads after which the tensor is there: on the engine a further one runs nothing, unlike after `item`."""

APPENDING = frozenset({"cat", "concat", "concatenate", "hstack", "vstack"})
"""Operations that append tensors to each other."""

GATHERING = APPENDING | {"stack"}
"""Operations that make one tensor of a list of them, as long as the list."""

PADDING = "pad"
GROWING = APPENDING | {PADDING}
"""Those by which a tensor becomes longer, also by elements of one value."""

PICKING = "index_select"
"""The operation that takes as many rows as it is asked for, and all of each."""

LENGTH_KEPT = frozenset({
    "contiguous", "clone", "float", "half", "double", "bfloat16", "long", "int", "bool", "type", "to",
    "masked_fill", "clamp",
})  # fmt: skip
"""Operations whose result is as long as the tensor, to which something may have been appended."""

REDUCING = frozenset({
    "sum", "mean", "prod", "max", "min", "any", "all", "norm", "std", "var", "median",
    "nansum", "nanmean", "numel", "argmax", "argmin", "count_nonzero",
})  # fmt: skip
"""Operations whose result is one number where they are told no dimension."""

VIEWS = frozenset({
    "view", "view_as", "reshape", "reshape_as", "squeeze", "unsqueeze", "flatten", "unflatten", "transpose",
    "swapaxes", "movedim", "moveaxis", "permute", "t", "expand", "expand_as", "narrow", "select", "diagonal",
    "unfold", "chunk", "split", "unbind",
})  # fmt: skip
"""Operations that give another view of their tensor. A read of that leaves the tensor pending, as the engine
has it: a cut launches once more. Of what is computed, cast, cloned or made contiguous nothing is left."""

MASK_KEPT = frozenset({
    "clone", "contiguous", "view", "reshape", "flatten", "squeeze", "unsqueeze", "transpose", "permute", "t",
    "expand", "repeat", "roll", "flip", "scatter", "scatter_", "gather", "index_select",
})  # fmt: skip
"""Methods whose result is a mask where the tensor is one."""

MASKS = frozenset({
    "eq", "ne", "lt", "gt", "le", "ge", "isnan", "isfinite", "isinf", "bool", "logical_and", "logical_or",
    "logical_not", "logical_xor", "any", "all",
})  # fmt: skip
"""Operations that give a tensor of truths."""
OF_TRUTHS = "torch.bool"
"""The type of their elements."""

PRODUCTS = frozenset({
    "matmul", "mm", "bmm", "addmm", "baddbmm", "mv", "addmv", "addbmm", "linear", "einsum", "conv1d",
    "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "__matmul__",
})  # fmt: skip
"""Operations that an autocast computes in lower precision, and so what backward makes of them."""

WITHOUT_HISTORY = frozenset({
    "argmax", "argmin", "argsort", "argwhere", "long", "int", "short", "byte", "bool", "any", "all", "max",
    "min", "aminmax", "topk", "sort", "median", "mode", "kthvalue", "unique", "unique_consecutive", "nonzero",
    "count_nonzero", "bincount", "histc", "searchsorted", "bucketize", "isin", "floor", "ceil", "round",
    "trunc", "sign", "one_hot", "multinomial", "bernoulli", "zeros_like", "ones_like", "full_like",
    "empty_like", "rand_like", "randn_like", "randint_like", "new_zeros", "new_ones", "new_full",
    "new_empty", "new_tensor", "data", "grad",
})  # fmt: skip
"""Operations whose results hold no autograd graph, or of which one of several results holds none."""

NOT_DIFFERENTIABLE = MASKS | {
    "argmax", "argmin", "argsort", "argwhere", "long", "int", "short", "byte", "nonzero", "count_nonzero",
    "bincount", "searchsorted", "bucketize", "isin", "one_hot", "multinomial",
}  # fmt: skip
"""Operations of which no result holds an autograd graph, whatever they are computed of."""

PARTS = frozenset(
    {"split", "chunk", "unbind", "tensor_split", "split_with_sizes", "hsplit", "vsplit", "dsplit"}
)
"""Operations that give several tensors: to take one of them is no operation."""

HOST_ATTRIBUTES = frozenset({
    "shape", "dtype", "ndim", "requires_grad", "is_leaf", "grad_fn", "names", "layout", "is_cuda", "is_cpu",
    "is_mps", "is_xpu", "is_sparse", "is_meta", "is_quantized", "itemsize", "nbytes", "_version", "output_nr",
    "retains_grad",
})  # fmt: skip
"""Tensor attributes that Python knows without running anything."""

ON_OTHER_DEVICES = frozenset({"is_cuda", "is_cpu", "is_mps", "is_xpu"})
"""Tensor attributes that tell whether it is on some other device."""

TENSOR_ATTRIBUTES = frozenset({"data", "grad", "T", "mT", "H", "real", "imag"})
"""Tensor attributes that are tensors."""

PARTS_OF_RESULTS = frozenset({"values", "indices"})
"""What the results of `max`, `topk`, `sort` and the like have: tensors, as they are themselves."""

PARTS_OF_OUTPUTS = frozenset({
    "end_logits", "last_hidden_state", "logits", "loss", "pooler_output", "prediction_logits", "sample",
    "start_logits",
})  # fmt: skip
"""What a model's output holds under these names is a tensor: so it is in transformers and diffusers, and in
models that name theirs like these."""

PARAMETER_ATTRIBUTES = frozenset({"grad", "data", "shape", "device", "requires_grad"}) | ON_OTHER_DEVICES
"""Attributes of a module's parameters that are asked of each of them."""


def is_shaped_by_data(name: str, given: int, keywords: Container[str]) -> bool:
    """Whether an operation gives a result of a shape that the numbers decide on.

    Args:
        name: Its last name.
        given: How many arguments it gets by position, with the tensor itself.
        keywords: Those that it gets by name.
    """
    known = SHAPED_BY_DATA.get(name)
    if known is None:
        return False
    fewer_than, unless = known
    return not fewer_than or (given < fewer_than and unless not in keywords)


def repeats_by_data(name: str, tensors: int, keywords: Container[str]) -> bool:
    """Whether an operation repeats what it gets as often as a second tensor says, and nothing how long the
    result is.

    Args:
        name: Its last name.
        tensors: How many tensors it gets.
        keywords: What it gets by name.
    """
    return name == "repeat_interleave" and tensors > 1 and "output_size" not in keywords


def numbers_of_graph(
    name: str, given: Sequence[_Given], keywords: Mapping[str, _Given], *, first: int = 0
) -> Iterator[_Given]:
    """Those arguments of an operation that are a part of the graph, if they are numbers.

    Args:
        name: Its last name.
        given: The arguments that it gets by position, from the parameter number `first` on.
        keywords: Those that it gets by name.
    """
    data = GRAPH_NUMBERS.get(name)
    if data is None:
        return
    numbers, names = {number for number, _ in data}, {word for _, word in data}
    yield from (value for number, value in enumerate(given, first) if number not in numbers)
    yield from (value for word, value in keywords.items() if word not in names)


def is_creation(module: str, last: str) -> bool:
    """Whether a function of torch makes a tensor of something else."""
    if module in MASKING:
        return last == "generate_square_subsequent_mask"
    return module == "torch" and last in CREATIONS


def keeps_history(name: str) -> bool:
    """Whether autograd keeps, for the result of an operation, what that was computed of."""
    return not (name in WITHOUT_HISTORY or name in MASKS or name in PARTS)


def operation_of(name: str) -> Operation | None:
    """What the operation of this last name does; None where nothing is known of it."""
    known = OPERATIONS.get(name)
    if known is None and name.startswith("is_"):
        return Operation.HOST
    return known
