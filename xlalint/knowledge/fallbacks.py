"""What to use instead of operations that torch_xla runs on the host.

That they do is known from the engine's counters (torch_xla 2.9 on the CPU engine, each was run); the list
says only what stays on the device instead.
"""

from __future__ import annotations

from types import MappingProxyType

_SHAPE = "choose with `torch.where(mask, a, b)`, which keeps the shape, or multiply by the mask"
_GRADIENT = "_backward"

INSTEAD = MappingProxyType({
    "nonzero": f"the size of what an index by a mask gives depends on the data: {_SHAPE}",
    "masked_select": f"the size of its result depends on the data: {_SHAPE}",
    "_unique2": "the size of its result depends on the data: count with `one_hot(x, n).sum(0)`, or sort",
    "unique_consecutive": "the size of its result depends on the data: compare neighbours, `x[1:] != x[:-1]`",
    "unique_dim": "the size of its result depends on the data: sort, and compare neighbours",
    "equal": "compare on the device with `(a == b).all()`, and read the answer below the step",
    "bincount": "count on the device with `torch.nn.functional.one_hot(x, n).sum(0)`",
    "histc": "count on the device: `torch.nn.functional.one_hot(bin, n).sum(0)`",
    "repeat_interleave": "give the number of repeats as a Python int, or gather with an index from the host",
    "median": "sort, and take the middle: `x.sort(dim).values.select(dim, n // 2)`",
    "nanmedian": "sort, and take the middle",
    "mode": "count with `torch.nn.functional.one_hot(x, n).sum(0)` and take `argmax`",
    "isin": "compare all with all on the device: `(x[..., None] == values).any(-1)`",
    "searchsorted": "count on the device: `(sorted[None] < x[:, None]).sum(-1)`",
    "bucketize": "count on the device: `(boundaries < x[..., None]).sum(-1)`",
    "grid_sampler_2d": "compute it from gathers (`torch.gather`), or do it on the host in the data loader",
    "upsample_bicubic2d": "use `mode='bilinear'`, which stays on the device",
    "_adaptive_avg_pool2d": "use `torch.nn.AvgPool2d`, or an output size that divides the input",
    "adaptive_max_pool2d": "use `torch.nn.MaxPool2d` with a fixed size",
    "_embedding_bag_forward_only": "use `torch.nn.functional.embedding(...).sum(1)`",
    "_embedding_bag": "use `torch.nn.functional.embedding(...).sum(1)`",
    "embedding_renorm_": "leave `max_norm` out, and normalize the weight with operations of your own",
    "im2col": "use a convolution instead of `unfold`",
    "col2im": "use a transposed convolution instead of `fold`",
    "huber_loss": "use `torch.nn.functional.smooth_l1_loss`, which stays on the device",
    "_ctc_loss": "compute this loss on the host once a step is over, or use a loss for each frame",
    "rrelu_with_noise_": "use `torch.nn.functional.leaky_relu`",
    "linalg_cross": "write it out: `a.roll(-1, -1) * b.roll(-2, -1) - a.roll(-2, -1) * b.roll(-1, -1)`",
    "poisson": "draw in the data loader",
})  # fmt: skip
"""By the operation's name without its overload, how to stay on the device."""

ELSE = "do it in the data loader, or write it with operations that stay on the device"
"""Where nothing is known that would do the same."""


def instead(operation: str) -> str:
    """How to do without an operation, as a clause.

    Args:
        operation: Its name as the engine counts it, such as `aten::nonzero`.
    """
    name = plain(operation).removesuffix(_GRADIENT)
    return INSTEAD.get(name, ELSE)


def plain(operation: str) -> str:
    """The name of an operation without its namespace and overload."""
    return operation.rpartition("::")[2].partition(".")[0]
