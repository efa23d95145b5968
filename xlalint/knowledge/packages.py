"""What functions and classes of packages beside torch do to the lazy engine: data.

As in `functions`, a qualified name maps to the effect of calling it. What a logger is handed it turns into
a number or a text, which reads a tensor. The facts are those of the packages' documentation; where a
package is installed, `tests/test_knowledge.py` looks the names up.
"""

from __future__ import annotations

import sys

_SUMMARY = "torch.utils.tensorboard.SummaryWriter"
_RUN = "wandb.sdk.wandb_run.Run"
_COMET = "comet_ml.Experiment"
_CONSOLE = "rich.console.Console"
_METRIC = "evaluate.EvaluationModule"
_AVERAGE = "torch.optim.swa_utils.AveragedModel"
_EMA = "an average of weights"
_PATHS = "iopath.common.file_io.PathManager"
_FILES = "fsspec.AbstractFileSystem"


def _all(module: str, names: tuple[str, ...], effect: str) -> dict[str, str]:
    return dict.fromkeys((f"{module}.{name}" for name in names), effect)


FUNCTIONS: dict[str, str] = {
    # Loggers of experiments
    **_all(
        _SUMMARY,
        (
            "add_scalar", "add_scalars", "add_histogram", "add_image", "add_images", "add_embedding",
            "add_pr_curve", "add_hparams",
        ),
        "log",
    ),
    "torch.utils.tensorboard.SummaryWriter": f"object {_SUMMARY}",
    "torch.utils.tensorboard.writer.SummaryWriter": f"object {_SUMMARY}",
    "tensorboardX.SummaryWriter": f"object {_SUMMARY}",
    "tensorboardX.writer.SummaryWriter": f"object {_SUMMARY}",
    "wandb.init": f"object {_RUN}",
    "wandb.log": "log",
    f"{_RUN}.log": "log",
    # hooks that at times read gradients, and cut nothing
    **_all("wandb", ("watch", "unwatch"), "nothing"),
    **_all(_RUN, ("watch", "unwatch"), "nothing"),
    **_all("mlflow", ("log_metric", "log_metrics", "log_param", "log_params"), "log"),
    "comet_ml.Experiment": f"object {_COMET}",
    "comet_ml.start": f"object {_COMET}",
    **_all(_COMET, ("log_metric", "log_metrics"), "log"),
    "swanlab.log": "log",
    # Progress bars, consoles, loggers of text
    **_all(
        "tqdm",
        (
            "tqdm", "auto.tqdm", "notebook.tqdm", "std.tqdm", "rich.tqdm", "autonotebook.tqdm",
            "asyncio.tqdm", "tqdm_notebook",
        ),
        "progress",
    ),
    **_all("tqdm", ("trange", "auto.trange", "notebook.trange", "autonotebook.trange"), "range"),
    **_all("tqdm.tqdm", ("set_postfix", "set_postfix_str", "set_description", "write"), "print"),
    "rich.print": "print",
    "rich.progress.track": "progress",
    _CONSOLE: f"object {_CONSOLE}",
    **_all(_CONSOLE, ("print", "log"), "print"),
    **_all(
        "loguru.logger",
        ("trace", "debug", "info", "success", "warning", "error", "critical", "exception"),
        "log",
    ),
    **_all("absl.logging", ("debug", "info", "warning", "error", "fatal"), "log"),
    # Metrics that bring to the host what they are given
    **_all("evaluate", ("load", "combine"), f"object {_METRIC}"),
    "datasets.load_metric": f"object {_METRIC}",
    **_all(_METRIC, ("add", "add_batch", "compute"), "log"),
    # Averages of weights: a copy of the model, and light work on its parameters
    _AVERAGE: f"object {_AVERAGE}",
    "torch.optim.swa_utils.update_bn": "nothing",
    f"{_AVERAGE}.update_parameters": "average weights",
    **_all("timm.utils", ("ModelEma", "ModelEmaV2", "ModelEmaV3"), f"object {_EMA}"),
    **_all("timm.utils.model_ema", ("ModelEma", "ModelEmaV2", "ModelEmaV3"), f"object {_EMA}"),
    "torch_ema.ExponentialMovingAverage": f"object {_EMA}",
    "diffusers.training_utils.EMAModel": f"object {_EMA}",
    "ema_pytorch.EMA": f"object {_EMA}",
    # It adds the number of the replica to the seed.
    **_all("timm.utils", ("random_seed", "random.random_seed"), "seed of the host"),
    **_all(_EMA, ("update", "step", "set", "store", "restore", "copy_to"), "average weights"),
    # Models that get adapters
    **_all(
        "peft",
        (
            "get_peft_model", "prepare_model_for_kbit_training", "inject_adapter_in_model",
            "PeftModel.from_pretrained", "PeftModelForCausalLM.from_pretrained",
        ),
        "adapted model",
    ),
    "peft.LoraConfig": "settings of adapters",
    # Files, opened as Python's `open` does
    _PATHS: f"object {_PATHS}",
    "fsspec.filesystem": f"object {_FILES}",
    "gcsfs.GCSFileSystem": f"object {_FILES}",
    "s3fs.S3FileSystem": f"object {_FILES}",
    **_all(_PATHS, ("open",), "open"),
    **_all(_FILES, ("open",), "open"),
    **_all("iopath.common.file_io.g_pathmgr", ("open",), "open"),
    **_all("fvcore.common.file_io.PathManager", ("open",), "open"),
    **_all("fsspec", ("open",), "open"),
    **_all("smart_open", ("open",), "open"),
    **_all("tensorflow.io.gfile", ("GFile",), "open"),
    # Loaders that leave their batches on the host
    "torchdata.stateful_dataloader.StatefulDataLoader": "host loader",
    "torch_geometric.loader.DataLoader": "host loader",
    "webdataset.WebLoader": "host loader",
}  # fmt: skip

OF_DATASETS = "torchvision.datasets"
_DIGITS = {True: 60_000, False: 10_000}
_PICTURES = {True: 50_000, False: 10_000}
DATASETS: dict[str, dict[bool, int]] = {
    **dict.fromkeys(("MNIST", "FashionMNIST", "KMNIST"), _DIGITS),
    **dict.fromkeys(("CIFAR10", "CIFAR100"), _PICTURES),
}
"""How many samples well-known datasets of torchvision have, for training and for testing."""

SCHEDULERS = (
    "timm.scheduler", "transformers.get_", "transformers.optimization.get_", "diffusers.optimization.get_",
)  # fmt: skip
"""What the qualified names of learning rate schedulers begin with, and of the functions that make them."""

MODEL_MODULES = frozenset({
    "torchvision.models", "torchvision.models.segmentation", "torchvision.models.detection",
    "segmentation_models_pytorch", "monai.networks.nets",
})  # fmt: skip
"""Modules whose functions and classes make models, on the host."""

DROPPING_MODELS = (
    "torchvision.models.efficientnet_",
    "torchvision.models.convnext_",
    "torchvision.models.swin_",
    "torchvision.models.maxvit_",
)
"""What the qualified names of models begin with that leave out whole blocks at random while they train,
whatever head they get (torchvision's `StochasticDepth`, which draws on the device of its input)."""

MODEL_MAKERS = frozenset({
    "timm.create_model", "timm.models.create_model", "efficientnet_pytorch.EfficientNet.from_name",
    "efficientnet_pytorch.EfficientNet.from_pretrained",
})  # fmt: skip
"""Other functions that do."""

DROP_RATES = ("drop_rate", "drop_path_rate", "proj_drop_rate", "attn_drop_rate", "drop_block_rate")
"""Arguments by which these make models that drop something while they train, if it is no nought."""

LOSSES = frozenset({"timm.loss"})
"""Modules whose classes are modules without weights."""

OPTIMIZER_MAKERS = frozenset({
    "timm.optim.create_optimizer", "timm.optim.create_optimizer_v2",
    "timm.optim.optim_factory.create_optimizer", "timm.optim.optim_factory.create_optimizer_v2",
})  # fmt: skip
"""Functions that make an optimizer of the model, or of the parameters, that they get."""

OF_TRAINED, FROM_PRETRAINED = frozenset({"pretrained", "weights", "checkpoint_path"}), "from_pretrained"
"""Arguments by which these load weights, and a method that does."""

NO_MODEL_MAKERS = ("list_models", "get_weight", "get_model_weights", "get_model_builder")
"""Functions of these modules that do not."""

NUMPY = "numpy"
PLAIN_OF_NUMPY = frozenset({
    "numpy.random", "allclose", "array_equal", "isscalar", "ndim", "shape", "size", "save", "savez",
    "savetxt", "savez_compressed", "set_printoptions", "seterr", "result_type",
})  # fmt: skip
"""What of NumPy gives Python's own numbers, or nothing."""
OF_EACH_NUMBER = frozenset({"clip", "ceil", "floor", "rint", "round", "minimum", "maximum", "abs"})
"""Functions of NumPy that make a number of each that they get, of about its size."""
ARRAYS = frozenset({
    "all", "any", "argmax", "argmin", "astype", "clip", "copy", "cumsum", "dot", "flatten", "max", "mean",
    "min", "prod", "ravel", "reshape", "round", "squeeze", "std", "sum", "transpose", "var",
})  # fmt: skip
"""Methods of arrays that give arrays, or numbers of NumPy's."""

DRAWN_BY_HOST = frozenset({
    *(f"random.{name}" for name in (
        "random", "uniform", "gauss", "normalvariate", "betavariate", "triangular", "choice", "randint",
        "randrange",
    )),
    *(f"numpy.random.{name}" for name in (
        "rand", "randn", "random", "random_sample", "uniform", "normal", "beta", "binomial", "choice",
        "randint",
    )),
})  # fmt: skip
"""Functions that draw a random number on the host, another one each time."""
WHOLE = frozenset({"random.randint", "random.randrange", "numpy.random.randint"})
"""Those of them that draw an integer."""
BELOW_ONE = frozenset({
    "random.random", "numpy.random.random", "numpy.random.random_sample", "numpy.random.rand",
})  # fmt: skip
"""Those of them that draw from 0 up to 1, and never 1, if they are told nothing."""

OPTIMIZERS = frozenset({
    "SGD", "Adam", "AdamW", "Adamax", "Adagrad", "Adadelta", "NAdam", "RAdam", "RMSprop", "Rprop", "ASGD",
    "LBFGS", "SparseAdam", "Adafactor", "Muon", "Lamb", "LAMB", "Lars", "LARS", "Lion", "AdaBelief",
    "Ranger", "AdamP", "SGDP", "NovoGrad", "NvNovoGrad", "RMSpropTF", "MADGRAD", "Adan", "Sophia",
    "SophiaG", "Prodigy", "DAdaptAdam", "DAdaptSGD", "FusedAdam", "FusedSGD", "FusedLAMB", "Adam8bit",
    "AdamW8bit", "PagedAdamW8bit", "DeepSpeedCPUAdam",
})  # fmt: skip
"""Names of optimizer classes: what a package defines under such a name is one."""

OF_BOXES = {
    "torchvision": frozenset({
        "box_area", "box_convert", "box_iou", "clip_boxes_to_image", "complete_box_iou",
        "complete_box_iou_loss", "distance_box_iou", "distance_box_iou_loss", "generalized_box_iou",
        "generalized_box_iou_loss", "sigmoid_focal_loss",
    }),
}  # fmt: skip
"""By package, functions that compute a tensor out of tensors: of boxes, and losses over them."""

IMPORT_XLA = frozenset({
    "accelerate", "catalyst", "composer", "diffusers", "fairseq", "fastai", "flair", "ignite", "lightning",
    "lightning_fabric", "neuronx_distributed", "neuronx_distributed_training", "optimum", "peft",
    "pytorch_lightning", "sentence_transformers", "setfit", "timm", "torch_neuronx", "torchacc", "torchprime",
    "transformers", "trl",
})  # fmt: skip
"""Packages that import torch_xla themselves where it is installed, be it through one another or in parts."""

OF_NUMBERS = frozenset({"scipy.stats", "seqeval.metrics", "sklearn.metrics"})
"""Modules whose functions compute host values of host values, and leave the engine alone."""

GPU_ONLY = frozenset({"apex", "flash_attn", "flash_attn_interface", "triton"})
"""Packages that have nothing but kernels for GPUs."""

WITHOUT_XLA = frozenset({
    "PIL", "absl", "cv2", "datasets", "einops", "h5py", "huggingface_hub", "matplotlib", "nltk", "numpy",
    "omegaconf", "pandas", "requests", "rich", "safetensors", "scipy", "seaborn", "sentencepiece", "sklearn",
    "tensorboard", "tensorboardX", "tokenizers", "torch", "torchaudio", "torchvision", "tqdm", "wandb",
    "yaml",
}) | sys.stdlib_module_names  # fmt: skip
"""Packages of which it is known that they do not, those of Python itself among them."""
