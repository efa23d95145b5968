"""What functions of torch, torch_xla and the standard library do to the lazy engine: data.

A name maps to the effect of calling it; `xlalint.analysis.effects` says what each effect means to
the model. The facts are those of torch_xla 2.9, measured or read from its source. Names of older
releases stay, because old code uses them. `tests/test_knowledge.py` checks every name
against the installed library and the release table.
"""

from __future__ import annotations

import re

from xlalint.knowledge import packages

XM = "torch_xla.core.xla_model"
XR = "torch_xla.runtime"
XP = "torch_xla.debug.profiler"
PL = "torch_xla.distributed.parallel_loader"
DP = "torch_xla.distributed.data_parallel"
FSDP = "torch_xla.distributed.fsdp"
SPMD = "torch_xla.distributed.spmd"
XMP = "torch_xla.distributed.xla_multiprocessing"
ENVIRONMENT = "os.environ"
CHECKPOINTS = "torch_xla.experimental.distributed_checkpoint"
LOAD_PLANNER = f"{CHECKPOINTS}.SPMDLoadPlanner"
MANAGER = f"{CHECKPOINTS}.CheckpointManager"
MANAGER_UNTOLD = f"{MANAGER} that asks for no preemption"

FUNCTIONS: dict[str, str] = {
    **packages.FUNCTIONS,
    # Cuts and scopes
    "torch_xla.sync": "marker",
    f"{XM}.mark_step": "marker",
    "torch_xla.step": "step scope",
    "torch_xla.compile": "compile",
    "torch_xla.experimental.compile": "compile",
    "torch_xla.experimental.eager.compile": "compile",
    "torch_xla.experimental.eager_mode": "eager mode",
    "torch_xla.experimental.eager.eager_mode": "eager mode",
    "torch_xla.experimental.eager_mode_context": "eager scope",
    f"{XP}.Trace": "trace scope",
    f"{XP}.StepTrace": "step trace scope",
    f"{XP}.trace_me": "trace scope",
    f"{XP}.start_server": "profiler server",
    f"{XP}.trace": "capture profile",
    f"{XP}.trace_detached": "nothing",
    f"{XR}.initialize_cache": "initialize cache",
    f"{XM}.wait_device_ops": "wait",
    f"{XM}.add_step_closure": "add closure",
    # Clocks
    **dict.fromkeys(
        (
            "time.time",
            "time.time_ns",
            "time.perf_counter",
            "time.perf_counter_ns",
            "time.monotonic",
            "time.monotonic_ns",
            "timeit.default_timer",
        ),
        "clock",
    ),
    # Devices
    "torch_xla.device": "xla device",
    f"{XM}.xla_device": "xla device",
    f"{XR}.xla_device": "xla device",
    "torch_xla.devices": "xla devices",
    "torch_xla.real_devices": "host",
    f"{XM}.get_xla_supported_devices": "xla devices",
    f"{XM}.xla_real_devices": "host",
    f"{XM}.xla_device_hw": "hardware",
    f"{XR}.device_type": "hardware",
    f"{XM}.send_cpu_data_to_device": "to device",
    "torch.device": "device",
    # Replicas
    f"{XM}.get_ordinal": "global ordinal",
    f"{XR}.global_ordinal": "global ordinal",
    f"{XM}.get_local_ordinal": "local ordinal",
    f"{XR}.local_ordinal": "local ordinal",
    f"{XR}.process_index": "global ordinal",
    f"{XM}.is_master_ordinal": "rank test",
    f"{XM}.xrt_world_size": "world size",
    f"{XR}.world_size": "world size",
    f"{XR}.global_device_count": "number of replicas",
    f"{XR}.global_runtime_device_count": "number of replicas",
    f"{XR}.local_device_count": "host",
    f"{XR}.addressable_device_count": "host",
    f"{XR}.process_count": "host",
    f"{XM}.all_reduce": "collective with a result",
    f"{XM}.all_gather": "collective with a result",
    f"{XM}.all_to_all": "collective with a result",
    f"{XM}.reduce_scatter": "collective with a result",
    f"{XM}.reduce_scatter_bucketized": "collective with a result",
    f"{XM}.all_gather_bucketized": "collective with a result",
    f"{XM}.collective_permute": "collective with a result",
    f"{XM}.collective_broadcast": "collective",
    f"{XM}.broadcast_master_param": "collective",
    "torch_xla.experimental.pjrt.broadcast_master_param": "collective",
    "torch_xla.core.functions.all_reduce": "collective with a result",
    "torch_xla.core.functions.all_gather": "collective with a result",
    f"{XM}.rendezvous": "rendezvous",
    f"{XM}.xla_rendezvous": "rendezvous",
    "torch_xla.experimental.pjrt.rendezvous": "rendezvous",
    f"{XM}.mesh_reduce": "mesh reduce",
    f"{XM}.do_on_ordinals": "nothing",
    f"{XM}.master_print": "master print",
    f"{XMP}.spawn": "spawn",
    f"{XMP}.MpModelWrapper": "same",
    f"{XMP}.MpSerialExecutor": f"object {XMP}.MpSerialExecutor",
    f"{XMP}.MpSerialExecutor.run": "call with the rest",
    "torch_xla.launch": "launch",
    # SPMD
    **{
        f"{SPMD}.{module}{name}": effect
        for module in ("", "xla_sharding.")
        for name, effect in {
            "Mesh": "mesh",
            "HybridMesh": "mesh",
            "get_1d_mesh": "mesh of one axis",
            "set_global_mesh": "set mesh",
            "get_global_mesh": "get mesh",
            "mark_sharding": "mark sharding",
            "mark_sharding_with_gradients": "mark sharding",
            "annotate_custom_sharding": "mark sharding",
            "enable_manual_sharding": "mark sharding by hand",
            "ShardingSpec": "describe sharding",
            "clear_sharding": "clear sharding",
        }.items()
    },
    f"{XR}.use_spmd": "use spmd",
    f"{XR}.is_spmd": "spmd test",
    f"{DP}.DataParallel": f"object {DP}.DataParallel",
    f"{DP}.DataParallel.__call__": "replicas by threads",
    # Loaders
    f"{PL}.MpDeviceLoader": "device loader",
    f"{PL}.ParallelLoader": "parallel loader",
    "torch_xla.utils.utils.SampleGenerator": "host loader",
    **{
        f"transformers.{place}DataCollator{name}": effect
        for place in ("", "data.data_collator.", "data.")
        for name, effect in {
            "WithPadding": "padding collator",
            "ForTokenClassification": "padding collator",
            "ForSeq2Seq": "padding collator",
            "ForMultipleChoice": "padding collator",
            "ForLanguageModeling": "collator of samples",
            "ForWholeWordMask": "collator of samples",
        }.items()
    },
    "torch.utils.data.DataLoader": "batch loader",
    "torch.utils.data.dataloader.DataLoader": "batch loader",
    "torch.utils.data.TensorDataset": "dataset",
    "torch.utils.data.dataset.TensorDataset": "dataset",
    "torch.utils.data.Subset": "subset",
    "torch.utils.data.dataset.Subset": "subset",
    "torch.utils.data.random_split": "random parts",
    "torch.utils.data.dataset.random_split": "random parts",
    "torch.utils.data.DistributedSampler": "distributed sampler",
    "torch.utils.data.distributed.DistributedSampler": "distributed sampler",
    **{
        f"torch.utils.data.{name}": "host"
        for name in (
            "RandomSampler",
            "SequentialSampler",
            "SubsetRandomSampler",
            "WeightedRandomSampler",
        )
    },
    # Gradients and optimizers
    f"{XM}.optimizer_step": "xla optimizer step",
    f"{XM}.reduce_gradients": "reduce gradients",
    f"{XM}.all_reduce_bucketized_gradients": "reduce gradients",
    f"{XM}._fetch_gradients": "gradients",
    "torch.nn.utils.clip_grad_norm_": "clip gradients",
    "torch.nn.utils.clip_grad_norm": "clip gradients",
    "torch.nn.utils.clip_grad.clip_grad_norm_": "clip gradients",
    "torch.nn.utils.clip_grad_value_": "cut gradients off",
    "torch.nn.utils.clip_grad.clip_grad_value_": "cut gradients off",
    "torch.autograd.backward": "backward",
    "torch.amp.GradScaler": "scaler of another device",
    "torch.cuda.amp.GradScaler": "scaler of another device",
    "torch_xla.amp.GradScaler": "scaler",
    # Wrapped models
    "torch.nn.parallel.DistributedDataParallel": "data parallel module",
    "torch.nn.parallel.distributed.DistributedDataParallel": "data parallel module",
    "torch.nn.DataParallel": "wrap module",
    "torch.distributed.fsdp.FullyShardedDataParallel": "wrap module",
    "torch.distributed.fsdp.fully_shard": "wrap module",
    "torch_xla.experimental.spmd_fully_sharded_data_parallel.SpmdFullyShardedDataParallel": "shard module",
    f"{FSDP}.XlaFullyShardedDataParallel": "shard and move module",
    f"{FSDP}.xla_fully_sharded_data_parallel.XlaFullyShardedDataParallel": "shard and move module",
    # Files
    f"{XM}.save": "xla save",
    "torch_xla.utils.serialization.save": "save references",
    "torch_xla.utils.serialization.load": "load references",
    "torch.save": "save",
    "pickle.dump": "pickle",
    "safetensors.torch.save": "save to safetensors",
    "safetensors.torch.save_file": "save to safetensors",
    "safetensors.torch.save_model": "save to safetensors",
    "torch.load": "load",
    MANAGER: "checkpoint manager",
    "torch_xla.experimental.distributed_checkpoint.manager.CheckpointManager": "checkpoint manager",
    f"{MANAGER}.save": "take checkpoint",
    f"{MANAGER}.save_async": "take checkpoint",
    f"{MANAGER_UNTOLD}.save_async": "take checkpoint untold",
    **{f"{manager}.restore": "restore checkpoint" for manager in (MANAGER, MANAGER_UNTOLD)},
    **{
        f"torch.distributed.checkpoint.{module}load": "load checkpoint"
        for module in ("", "state_dict_loader.")
    },
    LOAD_PLANNER: "load planner",
    f"{CHECKPOINTS}.planners.SPMDLoadPlanner": "load planner",
    f"{CHECKPOINTS}.prime_optimizer": "prime optimizer",
    f"{CHECKPOINTS}.util.prime_optimizer": "prime optimizer",
    f"{MANAGER}.should_save": "ask for preemption",
    f"{MANAGER}.reached_preemption": "ask for preemption",
    # Host reads by functions
    "builtins.print": "print",
    "builtins.str": "text",
    "builtins.repr": "print",
    "builtins.format": "print",
    "builtins.float": "to number",
    "builtins.int": "to number",
    "builtins.complex": "to number",
    "builtins.bool": "to bool",
    "builtins.range": "range",
    "builtins.round": "to number",
    "builtins.max": "compare",
    "builtins.min": "compare",
    "builtins.any": "test elements",
    "builtins.all": "test elements",
    "builtins.sum": "sum",
    f"{XM}._maybe_convert_to_cpu": "to host",
    "logging.debug": "nothing",  # only who asks for such messages gets their text made
    "logging.info": "log",
    "logging.warning": "log",
    "logging.error": "log",
    "logging.critical": "log",
    "logging.exception": "log",
    "logging.Logger.debug": "nothing",
    "logging.Logger.info": "log",
    "logging.Logger.warning": "log",
    "logging.Logger.error": "log",
    "logging.Logger.critical": "log",
    "logging.Logger.exception": "log",
    "logging.Logger.log": "log",
    # Library objects, known by class
    "logging.getLogger": "object logging.Logger",
    "torch_xla.test.test_utils.get_summary_writer": "unknown object",
    **{
        f"transformers.{module}{name}": "object transformers.StaticCache"
        for module in ("", "cache_utils.")
        for name in ("StaticCache", "SlidingWindowCache", "HybridCache")
    },
    "transformers.StaticCache.reset": "nothing",
    # Iteration
    "builtins.enumerate": "enumerate",
    "builtins.zip": "zip",
    "builtins.iter": "iterate",
    "builtins.next": "next",
    "builtins.reversed": "iterate",
    "builtins.list": "list",
    "builtins.tuple": "list",
    "builtins.sorted": "sort",
    "builtins.set": "list",
    "builtins.dict": "dict",
    "collections.OrderedDict": "dict",
    # What is put into these are attributes as well.
    "types.SimpleNamespace": "dict",
    "argparse.Namespace": "dict",
    "easydict.EasyDict": "dict",
    "addict.Dict": "dict",
    "ml_collections.ConfigDict": "dict",
    "collections.deque": "list",
    "collections.defaultdict": "default mapping",
    "builtins.map": "map",
    "builtins.filter": "filter",
    "itertools.islice": "slice iterator",
    "itertools.count": "range",
    "itertools.cycle": "cycle",
    "itertools.chain": "chain",
    "itertools.chain.from_iterable": "chain of all",
    "itertools.repeat": "repeat",
    # Language
    "builtins.len": "length",
    "builtins.isinstance": "isinstance",
    "builtins.issubclass": "host",
    "builtins.hasattr": "hasattr",
    "builtins.callable": "unknown truth",
    "builtins.id": "host",
    "builtins.type": "type",
    "builtins.abs": "same or light",
    "builtins.getattr": "getattr",
    "builtins.exec": "run text",
    "builtins.setattr": "setattr",
    "builtins.super": "super",
    "builtins.open": "open",
    "torch_xla.utils.gcsfs.open": "open",
    "builtins.input": "host",
    "builtins.vars": "unknown object",
    "builtins.hash": "host",
    "functools.partial": "partial",
    "dataclasses.field": "field",
    "threading.Thread": "thread",
    "multiprocessing.Process": "thread",
    "torch.multiprocessing.Process": "thread",
    "torch.utils.checkpoint.checkpoint": "checkpoint by torch",
    "torch.utils.checkpoint.checkpoint_sequential": "checkpoint in turn by torch",
    "torch_xla.utils.checkpoint.checkpoint": "call with the rest",
    "importlib.import_module": "import",
    "importlib.util.find_spec": "find module",
    "builtins.__import__": "import package",
    "functools.wraps": "decorator maker",
    "functools.update_wrapper": "same",
    "builtins.object.__init__": "nothing",
    "contextlib.nullcontext": "plain scope",
    "contextlib.closing": "same",
    "contextlib.suppress": "plain scope",
    "contextlib.ExitStack": "exit stack",
    "contextlib.AsyncExitStack": "exit stack",
    "copy.deepcopy": "deep copy",
    "copy.copy": "same",
    "dataclasses.replace": "replaced",
    "torch.func.functional_call": "functional call",
    "torch.nn.utils.stateless.functional_call": "functional call",
    "typing.cast": "second",
    "sys.exit": "exit",
    "os._exit": "exit",
    "builtins.exit": "exit",
    "builtins.quit": "exit",
    # torch, other
    "torch.no_grad": "autograd off",
    "torch.enable_grad": "autograd on",
    "torch.inference_mode": "autograd off",
    "torch.set_grad_enabled": "autograd on or off",
    "torch.autocast": "autocast",
    "torch.amp.autocast": "autocast",
    "torch.cuda.amp.autocast": "cuda autocast",
    "torch_xla.amp.autocast": "xla autocast",
    "torch.autograd.set_detect_anomaly": "anomaly mode",
    "torch.autograd.detect_anomaly": "anomaly mode",
    "torch.profiler.record_function": "plain scope",
    "torch.autograd.profiler.record_function": "plain scope",
    "torch.manual_seed": "seed of the host",
    "torch.random.manual_seed": "seed of the host",
    "torch_xla.manual_seed": "seed of the device",
    f"{XM}.set_rng_state": "seed of the device",
    f"{XM}.get_rng_state": "host",
    f"{XM}.get_memory_info": "host",
    f"{XM}.RateTracker": "host",
    "torch.compile": "dynamo",
    "torch.jit.script": "same",
    "torch.set_default_device": "nothing",
    "torch._register_device_module": "device module",
    "torch.set_default_dtype": "nothing",
    "torch.is_tensor": "tensor test",
    "torch.is_floating_point": "unknown truth",
    "torch.is_grad_enabled": "unknown truth",
    "torch.numel": "host",
    "torch.get_default_dtype": "host",
    "torch.finfo": "host",
    "torch.Size": "host",
    "torch.Generator": "generator",
    "torch.distributed.get_rank": "global ordinal",
    "os.getenv": "environment",
    f"{ENVIRONMENT}.get": "environment",
    "torch.distributed.get_world_size": "number of replicas",
    "torch.distributed.init_process_group": "process group",
    "torch.distributed.is_initialized": "unknown truth",
    "torch.distributed.is_available": "unknown truth",
    "torch.distributed.barrier": "host barrier",
    **{
        f"torch.distributed.{name}": "process group collective"
        for name in (
            "all_reduce",
            "all_gather",
            "all_gather_into_tensor",
            "all_to_all",
            "all_to_all_single",
            "broadcast",
            "reduce_scatter",
            "reduce_scatter_tensor",
        )
    },
    # The backend sums or gathers on all replicas, and runs that at once.
    "torch.distributed.reduce": "process group rendezvous",
    "torch.distributed.gather": "process group rendezvous",
    "torch.distributed.scatter": "process group rendezvous",
}

FORMER_MODULES = {
    "torch_xla.experimental.xla_sharding": "torch_xla.distributed.spmd.xla_sharding",
    "torch_xla_py.xla_model": XM,
    "torch_xla_py.data_parallel": DP,
    "torch_xla_py.xla_multiprocessing": XMP,
    "torch_xla_py.parallel_loader": PL,
}
"""Modules that have moved: the old name means the new one."""


def names_of(*effects: str) -> frozenset[str]:
    """The last names of the functions that have one of these effects."""
    return frozenset(name.rpartition(".")[2] for name, effect in FUNCTIONS.items() if effect in effects)


def members_of(module: str) -> frozenset[str]:
    """The names of the functions of a module."""
    return frozenset(last for name in FUNCTIONS for of, _, last in [name.rpartition(".")] if of == module)


MAPPING = "builtins.dict"
"""What makes a mapping, or is one."""

MARKERS = names_of("marker")
NO_MARKERS = frozenset({"no_sync"})
"""Methods that end in the name of a marker and cut nothing."""

ORDINALS_OF_HOST = {
    name.rpartition(".")[2]: name for name, effect in FUNCTIONS.items() if effect == "local ordinal"
}
"""Functions that count the replicas of one host alone, by their last names."""

BRINGING_XLA = names_of("xla device", "marker", "xla optimizer step", "device loader", "parallel loader") - {
    "device",
    "sync",
}
"""Functions that a program calls if it runs on XLA; the last names of the others mean more than that."""

EXITS = frozenset(name.removeprefix("builtins.") for name, effect in FUNCTIONS.items() if effect == "exit")
"""Functions that do not return, as programs write them."""

TOLD_HOW_MANY = names_of("spawn")
"""What is told how many processes to start."""

OF_OTHER_DEVICES = {"torch.save": f"{XM}.save"}
"""What is called on other devices, where a program chooses between that and what torch_xla has for it."""

SEEDS = ("seed", "rng")
"""What is named so may set the seed of the device, too."""

EXPECTING_ERRORS = ("assertRaises", "raises")
"""What the names of context managers begin with that wait for an exception."""

LIBRARIES = frozenset({"torch", "torch_xla", "torch_xla_py"})
"""Packages that are never looked for in the project."""

TENSOR = "torch.Tensor"

FAMILY = "torch"
"""What is imported from packages that begin so wins over what a project has for want of them."""

BFLOAT16 = "torch.bfloat16"
"""An autocast for CUDA raises when it is asked for this where there is none (torch/amp/autocast_mode.py)."""
HALF = frozenset({"torch.float16", "torch.half"})
"""What GPUs compute in: programs that ask for it look for what is infinite there alone, as those of T5 do."""
TORCH = "torch."
"""What is called below this is an operation on tensors, unless it is known to be something else."""

DISTRIBUTIONS = "torch.distributions"
"""The classes in here make objects that hold tensors under their attributes."""

DRAWN_ON_DEVICE = frozenset({
    "Bernoulli", "Categorical", "ContinuousBernoulli", "Exponential", "Geometric", "Gumbel", "HalfNormal",
    "Kumaraswamy", "Laplace", "LogNormal", "Multinomial", "MultivariateNormal", "Normal",
    "OneHotCategorical", "Pareto", "RelaxedBernoulli", "Uniform", "VonMises", "Weibull",
})  # fmt: skip
"""Of these, those that draw their samples where their tensors are; others have the host draw them
(measured with 2.9 on CPU: whether another `torch.manual_seed` brings other samples)."""

MADE_OF_DISTRIBUTIONS = frozenset({"Independent", "TransformedDistribution", "MixtureSameFamily"})
"""Of these, what they are made of checks itself."""

TELLING_OF_CHECKPOINTS = frozenset({"_async_futures", "all_steps"})
"""By these a program may learn whether a checkpoint that was taken in the background is there."""

VALIDATION = frozenset({"set_default_validate_args"})
"""Where this is used, distributions may check nothing."""

NO_OPERATIONS = (
    "torch.distributed", "torch.utils", "torch.cuda", "torch.backends", "torch.random",
)  # fmt: skip
"""Modules of torch whose functions are no operations on tensors."""

REGISTERING = "_register_device_module"
"""Gives PyTorch a module for a kind of devices, in which its own functions look for the random state."""

XLA_DEVICE = "xla"
"""The kind of devices that torch_xla brings, as PyTorch calls it."""

EAGER_MODE = frozenset({"eager_mode", "eager_mode_context"})
"""Where one of these is used, eager mode may be on."""

TURNING_EAGER_ON = "eager_mode"
"""What turns eager mode on for the whole program, when it is given True."""

FREEZING = frozenset({"requires_grad", "requires_grad_"})
"""Where one of these is used, a module may compute no gradients, whatever mode it is in."""

NO_LIMIT = frozenset({"float('inf')", "math.inf", "torch.inf", "np.inf", "numpy.inf", "inf"})
"""How programs write a norm that clips nothing: the call then only measures."""

INHERITING = "fork"
"""How processes are started that hold what their parent has set up; others import the program anew."""

SUMMING = names_of("xla optimizer step", "reduce gradients")
"""What sums the gradients of the optimizer that it is given, and keeps nothing of it."""
LAUNCHES = frozenset({"launch", "spawn"})
"""What starts its first argument in processes of its own is named so."""

JOINING = frozenset(f"torch.{name}" for name in ("cat", "concat", "concatenate", "stack", "hstack", "vstack"))
"""They want all tensors of a list on one device."""

COMPARING = frozenset(
    f"torch.nn.functional.{name}" for name in ("cross_entropy", "mse_loss", "nll_loss", "smooth_l1_loss")
)
"""Losses that want the prediction and its target on one device. Others take a target on the CPU: the engine
copies it, or computes there."""

MAKING_ARRAYS = frozenset(f"numpy.{name}" for name in (
    "abs", "append", "argmax", "argmin", "argsort", "around", "array", "asarray", "concatenate", "exp",
    "hstack", "isfinite", "isinf", "isnan", "log", "max", "mean", "median", "min", "percentile", "round",
    "save", "sqrt", "stack", "std", "sum", "unique", "var", "vstack", "where",
))  # fmt: skip
"""They make an array of what they are given, and so refuse a tensor on an XLA device, and a list of such."""

_OF_DEFAULT_GROUP = """
    all_gather all_gather_into_tensor all_gather_object all_reduce all_to_all all_to_all_single barrier
    broadcast broadcast_object_list gather get_backend get_rank get_world_size irecv isend monitored_barrier
    new_group recv reduce reduce_scatter reduce_scatter_tensor scatter send
"""
_NUMBERS_OF_REPLICA = ((1, "num_replicas"), (2, "rank"))
OF_GROUPS: dict[str, tuple[tuple[int, str], ...]] = {
    **{f"torch.distributed.{name}": () for name in _OF_DEFAULT_GROUP.split()},
    "torch.nn.parallel.DistributedDataParallel": (),
    "torch.nn.parallel.distributed.DistributedDataParallel": (),
    "torch.utils.data.DistributedSampler": _NUMBERS_OF_REPLICA,
    "torch.utils.data.distributed.DistributedSampler": _NUMBERS_OF_REPLICA,
}
"""They raise where there is no process group; some do not where they are told all of these, which they ask it
for otherwise. Measured in torch 2.9."""

MAKING_GROUPS = frozenset({
    "DeviceMesh", "init_device_mesh", "init_distributed", "init_process_group", "is_initialized",
})  # fmt: skip
"""What makes a process group, or asks whether there is one, by the last name."""

NOT_OF_XLA = frozenset({"torch.Generator"})
"""They refuse a device of XLA, which has no generators."""

TAKING_SAMPLES = frozenset({"torch.utils.data.DataLoader"})
"""They ask what they are given for samples by their numbers, which loaders of batches have not."""

FILLING_DEVICES = {f"{PL}.ParallelLoader": "devices", f"{PL}.MpDeviceLoader": "device"}
"""What moves batches to devices, each with the second parameter, which names these."""

WRAPPERS = frozenset({
    "DDP", "DataParallel", "DistributedDataParallel", "FSDP", "FullyShardedDataParallel", "deepspeed",
    "prepare", "setup", "setup_module", "setattr",
})  # fmt: skip
"""Where a program names none of them, nothing wraps its modules."""

GIVING_METHODS = frozenset({
    "AveragedModel", "GraphModule", "deepspeed", "get_peft_model", "jit", "prepare", "setup", "setup_module",
    "swa_utils", "symbolic_trace",
})  # fmt: skip
"""Where a program names none of them, its modules have what their classes and known wrappers give them."""

MOVING = frozenset({"to", "cuda", "device", "xla_device", "torch_xla"})
"""What uses none of these names in its module leaves its tensors on the host."""

DEFAULT_DEVICES = frozenset({"set_default_device", "set_default_tensor_type"})
"""Where a program names them, a tensor that it makes may be on the device, though it does not say so."""

STARTED_ELSEWHERE = frozenset({"init_process_group"})
"""A script that uses one of these is started several times, by somebody else."""

COUNTS_REPLICAS = frozenset({
    "DistributedSampler", "world_size", "xrt_world_size", "global_ordinal", "get_ordinal",
})  # fmt: skip
"""What uses one of these has several replicas in mind, whoever starts them."""

STARTS_REPLICAS = frozenset({
    "launch", "spawn", "_mp_fn", "xla_multiprocessing", "accelerate",
    "notebook_launcher", "lightning", "lightning_fabric", "pytorch_lightning", "catalyst", "composer",
    "fairseq", "fastai", "ignite", "neuronx_distributed", "neuronx_distributed_training", "optimum",
})  # fmt: skip
"""A program that uses none of these, nor joins a process group that may be of XLA's, runs as one process:
nothing starts another replica of it."""

BY_SPAWN = "_mp_fn"
"""What `xla_spawn.py` of transformers runs on each device, of the script that it is given."""

OF_GPUS = "nccl"
"""The backend of a process group that has no replica of XLA's in it."""
LOADS_MORE = frozenset({
    "add_safe_globals", "safe_globals", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD",
})  # fmt: skip
"""Where one of these is used, PyTorch loads other objects than tensors and Python's own."""

SWAPS_PARAMETERS = frozenset({"set_swap_module_params_on_conversion"})
"""Where one of these is used, moving a module keeps its parameters' identity."""

PROGRESS = "tqdm.tqdm"
"""The class of a progress bar."""

BARS = frozenset({"tqdm", "track"})
"""Names of functions that show how far a loop is, and give what they get."""

PLAIN_MODULES = frozenset({"math", "cmath"})
"""Modules whose functions ask their arguments for a Python number."""
ROUNDING = frozenset({"ceil", "floor", "trunc"})
"""Those of their functions that give a whole number."""

HOST_MODULES = frozenset({
    "time", "os", "os.path", "json", "random", "sys", "re", "datetime", "pathlib", "shutil", "glob",
    "socket", "string", "uuid", "numpy", "tempfile", "platform", "argparse", "gc", "warnings",
    "traceback", "torch_xla.debug.metrics", "torch_xla.debug.metrics_saver",
})  # fmt: skip
"""Modules whose functions give host values and leave the engine alone."""

VIEWS = frozenset({"einops"})
"""Packages whose functions give views and reductions of the tensors that they get."""

STARTING_THE_RUNTIME = frozenset({
    "torch_xla.device", "torch_xla.devices", "torch_xla.real_devices", "torch_xla.manual_seed",
    *(f"{XM}.{name}" for name in (
        "xla_device", "get_xla_supported_devices", "xla_real_devices", "is_master_ordinal", "get_ordinal",
        "get_local_ordinal", "xrt_world_size", "set_rng_state", "get_rng_state", "xla_device_hw",
    )),
    *(f"{XR}.{name}" for name in (
        "xla_device", "world_size", "global_ordinal", "local_ordinal", "process_index", "process_count",
        "global_device_count", "local_device_count", "addressable_device_count",
        "global_runtime_device_count", "addressable_runtime_device_count",
    )),
})  # fmt: skip
"""Functions that make this process use the devices: it cannot launch replicas any more. Measured."""

LEAVING_SPMD_OPEN = frozenset({
    "torch_xla.real_devices", f"{XM}.xla_real_devices", f"{XM}.xrt_world_size", f"{XM}.xla_device_hw",
    *(f"{XR}.{name}" for name in (
        "world_size", "process_index", "process_count", "global_runtime_device_count",
        "addressable_runtime_device_count",
    )),
})  # fmt: skip
"""Those of them that know no device yet as one of several: SPMD may still be turned on. Measured."""

REDUCING = frozenset({
    "all_reduce", "all_gather", "all_to_all", "reduce_scatter", "reduce_scatter_bucketized",
    "reduce_gradients", "all_gather_bucketized", "collective_permute", "collective_broadcast",
    "broadcast_master_param",
})  # fmt: skip
"""Collectives, by their last names, that the compiler puts in by itself under SPMD."""

SPMD_VARIABLE = "XLA_USE_SPMD"
"""The environment variable that turns SPMD on."""

SETTING_SPMD_UP = ("use_spmd", "set_global_mesh")
"""What a text has in it that turns SPMD on, or says how."""

CACHE_SETUP = "initialize_cache"
"""What a text has in it that sets up the persistent cache."""

OF_SPMD = ("use_spmd", "mark_sharding", "SpmdFullyShardedDataParallel")
"""What a text has in it if it matters to it whether SPMD is on."""

HOST_LOADERS = frozenset(
    name for name, effect in FUNCTIONS.items() if effect in ("batch loader", "host loader")
)
"""Classes of loaders that leave their batches on the host."""

MAKES_LOADERS = frozenset({"DataLoader"})
"""Names of what makes a loader that does not cut the graph: a loop over it is known by that."""

ENCODES, AS_TENSORS = "return_tensors", "pt"
"""How a tokenizer or a processor of transformers is told to make tensors: on the host, by their names."""

ENCODES_ONE = frozenset({"encode", "apply_chat_template"})
"""Methods of theirs that make one tensor."""

DECODES, SKIPPING = "decode", "skip_special_tokens"
"""A method of theirs that turns a row of tokens into text; what else has one of the name takes no such
argument."""

DECODES_ALL = frozenset({"batch_decode", "convert_ids_to_tokens"})
"""Methods that nothing else has: of many rows, and to words."""

AVAILABILITY = frozenset({
    "is_xla_tensor", "is_torch_xla_available", "is_torch_tpu_available", "is_tpu_available",
    "is_xla_available",
    "is_torch_neuroncore_available", "is_neuron_available", "xla_available", "_XLA_AVAILABLE",
    "XLA_AVAILABLE", "_TPU_AVAILABLE", "TPU_AVAILABLE", "_torch_xla_available", "HAS_XLA", "_HAS_XLA",
    "has_xla", "USE_XLA", "use_xla", "is_xla", "_xla_available", "XLA_IS_AVAILABLE", "xla_is_available",
    "use_tpu", "on_tpu", "is_tpu",
    *(
        written
        for word in ("xla", "tpu", "neuron")
        for form in ("use_{}", "using_{}", "on_{}", "is_{}", "is_on_{}", "run_on_{}", "running_on_{}",
                     "{}_enabled", "has_{}")
        for name in [form.format(word)]
        for written in (name, f"_{name}", name.upper(), f"_{name.upper()}")
    ),
})  # fmt: skip
"""Names, of functions or flags, that say torch_xla is there: true, since its code is what is checked."""

OTHER_BACKENDS = frozenset({
    "is_cuda_available", "is_torch_cuda_available", "is_sagemaker_mp_enabled",
    "is_sagemaker_dp_enabled", "is_torch_npu_available", "is_npu_available", "is_torch_mps_available",
    "is_mps_available", "is_torch_hpu_available", "is_hpu_available", "is_torch_mlu_available",
    "is_mlu_available", "is_torch_musa_available", "is_torch_xpu_available", "is_xpu_available",
    "is_ipex_available", "is_deepspeed_available", "is_deepspeed_enabled", "is_apex_available",
    "use_cuda", "use_gpu", "use_mps", "use_npu", "on_gpu", "no_tpu", "no_xla", "force_cpu", "cpu_only",
    "USE_CUDA", "USE_GPU", "USE_MPS", "USE_NPU", "ON_GPU", "NO_TPU", "NO_XLA", "FORCE_CPU", "CPU_ONLY",
    "torch.cuda.is_available", "torch.backends.mps.is_available", "torch.xpu.is_available",
    "torch.cuda.device_count",  # none: no number and a false flag compare alike
})  # fmt: skip
"""Tests for other backends: false while XLA code is checked. Settings extend it."""

OTHER_DEVICES = frozenset({
    "cuda", "gpu", "mps", "hip", "rocm", "npu", "hpu", "xpu", "mlu", "musa", "nccl",
    "multi_gpu", "multi_npu", "multi_hpu", "multi_xpu", "multi_mlu", "multi_musa", "multi_cpu",
})  # fmt: skip
"""Words, in small letters, for devices that are not XLA's: what is asked for them is false while XLA code is
checked, as for `OTHER_BACKENDS`."""

HOSTS = frozenset({"cpu"})
"""Words, in small letters, for the host as a device."""

NEEDING_CUDA = frozenset(
    f"torch.cuda.{name}" for name in ("set_device", "synchronize", "current_device", "get_device_properties")
)
"""Functions that raise where there is no CUDA, as the `cuda` of tensors and modules does: "Torch not compiled
with CUDA enabled", or that no driver was found."""

XLA_DEVICES = frozenset({"xla", "tpu"})
"""Words, in small letters, for the devices of XLA."""

SET_ON_XLA = frozenset({
    "COLAB_TPU_ADDR", "PJRT_DEVICE", "TPU_ACCELERATOR_TYPE", "TPU_NAME", "TPU_WORKER_HOSTNAMES",
    "TPU_WORKER_ID", "XRT_TPU_CONFIG",
})  # fmt: skip
"""Environment variables by which programs see whether they run on XLA: they are set there alone."""
SET_ON_CUDA = frozenset({"CUDA_VISIBLE_DEVICES"})
"""Those by which they see whether they run on CUDA."""

NAMES_DEVICE = re.compile(r"device|backend|accelerator|hardware|platform", re.IGNORECASE)
"""What stands in how a program spells something that holds the word for a device."""

RANK_VARIABLES = frozenset(
    {"RANK", "LOCAL_RANK", "GROUP_RANK", "SLURM_PROCID", "SLURM_LOCALID", "OMPI_COMM_WORLD_RANK"}
)
"""Environment variables that number the replica, as torchrun, Slurm and MPI set them."""

WHOLE_GROUP = "WORLD"
"""The last name of `torch.distributed.group.WORLD`, the group that all replicas are in."""

RANKS_OF_HOST = frozenset({"LOCAL_RANK", "SLURM_LOCALID"})
"""Those of them that count the replicas of one host."""

COUNTS_OF_REPLICAS = frozenset({"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE"})
"""Environment variables that say how many replicas there are, on all hosts."""

GUESSED_RANK_TESTS = frozenset({
    "is_master", "is_main_process", "is_global_zero", "is_local_main_process", "is_local_master",
    "is_rank_zero", "is_world_process_zero", "is_local_process_zero", "is_data_parallel_master",
    "is_master_process", "master_process", "is_primary", "should_save",
})  # fmt: skip
"""Names that tell replicas apart, as far as a name can be trusted: *likely* at most."""

GUESSED_RANKS = frozenset(
    {"rank", "global_rank", "local_rank", "ordinal", "index_rank", "process_index", "rank_id"}
)
"""Names of ordinals, to be compared with 0, as far as a name can be trusted."""

ASK_FOR_ALL = frozenset({
    "sum", "list", "tuple", "set", "max", "min", "sorted", "dict", "math.fsum", "deque", "collections.deque",
})  # fmt: skip
"""Functions that ask for all elements of what they are given, where they are called."""

CUTS_NOTHING = frozenset({
    "add_scalar", "append", "cpu", "debug", "detach", "extend", "float", "format", "info", "int", "item",
    "join", "len", "mean", "print", "round", "set_description", "set_postfix", "str", "sum", "write",
})  # fmt: skip
"""The last names of functions that show and keep what a round of training gives, and of which none cuts."""
READS_ITEM = frozenset({"cpu", "float", "format", "int", "item", "print", "str"})
"""Those of them that read it."""

GOES_OVER = frozenset({"enumerate", "tqdm"})
"""Functions that hand on what they are given, one element after the other."""

AVERAGING = frozenset({"all_reduce", "mesh_reduce", "all_gather"})
"""The last names of collectives by which a program may make weights the same on all replicas."""
SUMMING_UP = frozenset({"all_reduce", "broadcast", "reduce"})
"""The last names of collectives that write what they find into the tensor that they are given."""
GIVE_WEIGHTS = frozenset({"parameters", "named_parameters", "state_dict"})
"""Methods of a module that give its weights."""
