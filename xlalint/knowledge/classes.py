"""What classes of libraries are, and by which base class and decorator a class of a project is: data."""

from __future__ import annotations

from typing import NamedTuple

from xlalint.lazy.values import Kind


class Family(NamedTuple):
    """Classes whose qualified names begin and end so, and do not contain `without`."""

    kind: Kind
    begins: str = ""
    ends: str = ""
    without: str | None = None

    def holds(self, name: str) -> bool:
        """Whether the class of this qualified name belongs to the family."""
        inside = self.without is None or self.without not in name
        return inside and name.startswith(self.begins) and name.endswith(self.ends)


BASES = (
    Family(Kind.MODULE, "torch.nn."),
    Family(Kind.MODULE, "pytorch_lightning.LightningModule"),
    Family(Kind.MODULE, "lightning."),
    Family(Kind.OPTIMIZER, "torch.optim.", without="lr_scheduler"),
    Family(Kind.SCALER, ends=".GradScaler"),
)
"""What instances of a class are that derives from one of these."""

MODULE = frozenset({"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"})
"""What all modules are: a parameter that is annotated so is one."""

FUNCTION = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
"""What a function for autograd derives from whose backward is written by hand."""
RUNS_FORWARD = "apply"
"""The method by which its `forward` is run."""

PARAMETERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})

OF_LAYERS = frozenset({"weight", "bias"})
"""Attributes by which layers of torch hold their parameters."""

WRAPPED = frozenset({"module", "_orig_mod"})
"""Attributes by which what wraps a model, such as DDP and `torch.compile`, holds it: one that has none of its
own by such a name is wrapped so."""

SHARDED_OPTIMIZER = "torch_xla.distributed.zero_redundancy_optimizer.ZeroRedundancyOptimizer"

STREAM = "IterableDataset"
"""The class of torch's datasets that are iterated and may have no end, by its last name."""

SCHEDULERS = "torch.optim.lr_scheduler"
READING_SCHEDULER = "ReduceLROnPlateau"
"""The one of them whose `step` turns what it gets into a number of Python's, by its last name."""

CACHED = "cached_property"
PROPERTIES = frozenset({"property", CACHED})
CLASS_METHODS = frozenset({"classmethod"})
CONTEXT_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})
"""Decorators, by their last name."""

_OPTIMIZERS = "torch.optim"
_NO_OPTIMIZERS = ("torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.optim.Optimizer")
_SYNCFREE = "torch_xla.amp.syncfree."
STATEFUL = frozenset({"Adadelta", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop"})
"""Optimizers that make a state of each parameter in their first step, by their last names."""
BY_MOMENTUM = frozenset({"SGD"})
"""Those that do so if they are given a momentum."""
ON_HOST = frozenset({"CTCLoss", "HuberLoss"})
"""Modules of which torch_xla has the host compute the result; see `operations.ON_HOST`."""

VIEWING = frozenset({
    "Conv1d", "GRU", "GroupNorm", "LSTM", "LayerNorm", "Linear", "MultiheadAttention", "PReLU", "RNN",
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
})  # fmt: skip
"""Modules that view what they are given, or their own parameters, by their last names: measured in inference
mode, where `Conv2d`, `BatchNorm2d`, `Embedding`, pooling and activations of torch_xla 2.9 view nothing."""

WEIGHING = frozenset({
    "Linear", "Bilinear", "Embedding", "LayerNorm", "GroupNorm",
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LSTM", "GRU", "RNN", "MultiheadAttention",
    "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer",
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
})  # fmt: skip
"""Modules of torch with weights, by their last name: with these on the device they take no tensor of the CPU.
A convolution takes one, and computes on the CPU; then backward raises."""

BEGINNING_ALIKE = frozenset({"LayerNorm", "GroupNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d"})
"""Those of them that draw no weights: all replicas begin with the same."""

COMPARING = frozenset({"CrossEntropyLoss", "MSELoss", "NLLLoss", "SmoothL1Loss"})
"""Losses that want the prediction and its target on one device; see `functions.COMPARING`."""

ASKING_OF_MASKS: dict[str, dict[str, tuple[tuple[int, str], tuple[int, str]]]] = {
    "TransformerEncoder": {"": ((1, "mask"), (3, "is_causal"))},
    "TransformerDecoder": {"": ((2, "tgt_mask"), (6, "tgt_is_causal"))},
    "Transformer": {
        "TransformerEncoder": ((2, "src_mask"), (8, "src_is_causal")),
        "TransformerDecoder": ((3, "tgt_mask"), (9, "tgt_is_causal")),
    },
}
"""Modules of torch, by their last name, that compare a mask with the causal one, which asks for its numbers,
unless they are told: the place and name of the mask, and of what tells them. Of one that has others ask, by
these. Read in torch 2.9 (`_detect_is_causal_mask`), and measured: a launch for each."""

PARTS_ASKING = {"Transformer": {"encoder": "TransformerEncoder", "decoder": "TransformerDecoder"}}
"""Of what classes the parts of such modules are that ask by themselves, by attribute."""

DROPPING: dict[str, tuple[int, str]] = {
    **dict.fromkeys(
        (
            "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "RReLU",
        ),
        (0, "p"),
    ),
    **dict.fromkeys(("TransformerEncoderLayer", "TransformerDecoderLayer"), (3, "dropout")),
    "Transformer": (5, "dropout"),
}  # fmt: skip
"""Modules of torch that draw random numbers while they train, by their last name, each with the place and
name of the probability."""
STACKS = {"TransformerEncoder": "encoder_layer", "TransformerDecoder": "decoder_layer"}
"""Modules of torch that copy the layer that they are given, by its name there: they do as it does."""
DROPPING_BETWEEN = frozenset({"LSTM", "GRU", "RNN"})
"""Those that do so between their layers, if they are given a `dropout`."""
DROPPING_IF_TOLD = DROPPING_BETWEEN | {"MultiheadAttention"}
"""Those that drop nothing unless they are given a `dropout`."""
IN_TURN = "Sequential"
MODULE_CONTAINERS = frozenset({IN_TURN, "ModuleList", "ModuleDict"})
"""Modules of torch that hold others, by their last name; a call of the first goes through all in turn."""

_MODULES = "torch.nn"
_FUNCTIONAL = "functional"


def is_syncfree(name: str) -> bool:
    """Whether a class is that of an optimizer which skips a step by itself, as it is told `found_inf`."""
    return name.startswith(_SYNCFREE)


def kind_by_base(base: str) -> Kind | None:
    """What instances of a class are that derives from the class of this qualified name."""
    return next((family.kind for family in BASES if family.holds(base)), None)


def is_optimizer(name: str) -> bool:
    """Whether a qualified name is that of an optimizer class."""
    module, _, last = name.rpartition(".")
    if name.startswith(_SYNCFREE):
        return True
    return module.startswith(_OPTIMIZERS) and last[:1].isupper() and not name.startswith(_NO_OPTIMIZERS)


def keeps_state(name: str, *, momentum: bool) -> bool:
    """Whether an optimizer of this qualified name makes a state of each parameter in its first step."""
    last = name.rpartition(".")[2]
    return last in STATEFUL or (momentum and last in BY_MOMENTUM)


def is_module(name: str) -> bool:
    """Whether a qualified name is that of a module class."""
    module, _, last = name.rpartition(".")
    return module.startswith(_MODULES) and last[:1].isupper() and _FUNCTIONAL not in module
