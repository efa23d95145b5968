"""What methods and attributes of tensors, modules and optimizers do: data."""

from __future__ import annotations

EXPLICIT_READS = frozenset({"item", "tolist", "cpu", "numpy"})
"""Tensor methods that move the value to the host, as the programmer asked."""

BOOL_READS = frozenset({"equal", "allclose", "is_nonzero", "__bool__"})
"""Tensor methods that answer with a Python bool, for which they read the tensor."""

HOST_ATTRIBUTES = frozenset({
    "shape", "dtype", "ndim", "requires_grad", "is_leaf", "grad_fn", "names", "layout", "is_cuda",
    "is_sparse", "is_meta", "is_quantized", "itemsize", "nbytes", "_version", "output_nr",
    "retains_grad",
})  # fmt: skip
"""Tensor attributes that Python knows without running anything."""

TENSOR_ATTRIBUTES = frozenset({"data", "grad", "T", "mT", "H", "real", "imag"})
"""Tensor attributes that are tensors."""

HOST_METHODS = frozenset({
    "size", "dim", "numel", "nelement", "stride", "element_size", "ndimension", "get_device",
    "is_contiguous", "type", "_indices", "sparse_dim", "dense_dim", "storage_offset", "data_ptr",
    "register_hook", "requires_grad_", "retain_grad", "__len__", "is_pinned", "share_memory_", "is_shared",
    "untyped_storage",
})  # fmt: skip
"""Tensor methods that Python answers without running anything."""

HEAVY_METHODS = frozenset({
    "matmul", "mm", "bmm", "addmm", "baddbmm", "mv", "dot", "__matmul__", "addmv", "addbmm", "inner", "svd",
    "qr", "cholesky", "inverse", "pinverse", "eig",
})  # fmt: skip
"""Tensor methods that record a model's worth of work."""

HEAVY_FUNCTIONS = HEAVY_METHODS | {
    "linear", "bilinear", "einsum", "cdist", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "embedding", "scaled_dot_product_attention",
    "multi_head_attention_forward", "cross_entropy", "nll_loss", "tensordot", "chain_matmul", "lstm", "gru",
    "rnn_tanh", "rnn_relu",
}  # fmt: skip
"""Functions of torch and torch.nn.functional that record a model's worth of work."""

CREATIONS = frozenset({
    "tensor", "as_tensor", "zeros", "ones", "full", "empty", "rand", "randn", "randint", "arange",
    "linspace", "eye", "randperm", "from_numpy", "scalar_tensor", "logspace", "normal", "FloatTensor",
    "LongTensor", "IntTensor", "BoolTensor", "Tensor", "HalfTensor", "DoubleTensor",
})  # fmt: skip
"""Functions of torch that make a tensor; it is on the device only if `device=` says so."""

MODULE_METHODS = frozenset({
    "train", "eval", "requires_grad_", "half", "float", "bfloat16", "double", "apply", "share_memory",
})  # fmt: skip
"""Module methods that return the module itself."""

FOREIGN_METHODS = frozenset({"_nnz", "qscheme", "q_scale", "q_zero_point", "q_per_channel_axis"})
"""Methods of sparse and quantized tensors, which no XLA tensor is: they answer on the host."""

LABEL_METHODS = frozenset({"get_targets"})
"""Methods by which models pick the labels out of a batch: they compute nothing."""
