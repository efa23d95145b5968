"""ignite on XLA devices: engines that call what they are made with, and `ignite.distributed`.

From its public sources of 2025 (pytorch/ignite, `engine/engine.py`, `distributed/auto.py` and
`distributed/comp_models/xla.py`): an engine calls a function on each batch, and then handlers. A loader gives batches on
the device, and ends the step; so does the step of an optimizer, which sums the gradients. Whatever engines there
are, each is run where it is made.
"""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp

ON_XLA = {"backend": ("xla-tpu",)}
NAMED_LIKE = {
    "Metric": (
        "Accuracy", "Loss", "Precision", "Recall", "Fbeta", "TopKCategoricalAccuracy", "MeanSquaredError",
        "MeanAbsoluteError", "RootMeanSquaredError", "ConfusionMatrix", "IoU", "mIoU", "EpochMetric", "ROC_AUC",
        "AveragePrecision", "Average", "PSNR", "SSIM",
    ),
}


class _Optimizer:
    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.param_groups = optimizer.param_groups

    def step(self, closure=None):
        xm.optimizer_step(self.optimizer, barrier=True)

    def zero_grad(self, set_to_none=True):
        self.optimizer.zero_grad()

    def state_dict(self):
        return self.optimizer.state_dict()


class Events:
    ITERATION_STARTED = "iteration started"
    ITERATION_COMPLETED = "iteration completed"


class Metric:
    """A metric is summed over the replicas at the end of an epoch of the engine that it is attached to."""

    def __init__(self, *given, **named):
        pass

    def attach(self, engine, name, usage=None):
        engine.counts = True


class Engine:
    counts = False

    def __init__(self, process_function):
        for batch in pl.MpDeviceLoader(batches):
            process_function(self, batch)

    def run(self, data=None, max_epochs=None, epoch_length=None, **kwargs):
        if self.counts:
            xm.all_reduce("sum", sums)

    def on(self, event_name, *args, **kwargs):
        def add(handler):
            self.add_event_handler(event_name, handler, *args, **kwargs)
            return handler

        return add

    def add_event_handler(self, event_name, handler, *args, **kwargs):
        if event_name in ("iteration started", "iteration completed"):
            for batch in pl.MpDeviceLoader(batches):
                handler(self, *args, **kwargs)
        else:
            handler(self, *args, **kwargs)


class _Counting(Engine):
    def run(self, data=None, max_epochs=None, epoch_length=None, **kwargs):
        xm.all_reduce("sum", sums)  # of each metric, at the end of an epoch


def create_supervised_evaluator(model, metrics=None, device=None, **kwargs):
    def evaluate(engine, batch):
        model.eval()
        with torch.no_grad():
            return model(batch[0])

    return Engine(evaluate) if metrics is None else _Counting(evaluate)


class Parallel:
    def __init__(self, backend=None, nproc_per_node=None, **kwargs):
        self.backend = backend
        self.nproc_per_node = nproc_per_node

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        pass

    def run(self, func, *args, **kwargs):
        spawn(self.backend, func, args, kwargs, nproc_per_node=self.nproc_per_node)


def spawn(backend, fn, args, kwargs_dict=None, nproc_per_node=1, **kwargs):
    def replica(index):
        return fn(index, *args)

    xmp.spawn(replica, nprocs=nproc_per_node)


def manual_seed(seed):
    torch.manual_seed(seed)


def auto_model(model, sync_bn=False, **kwargs):
    return model.to(torch_xla.device())


def auto_optim(optimizer, **kwargs):
    return _Optimizer(optimizer)


def auto_dataloader(dataset, **kwargs):
    return pl.MpDeviceLoader(torch.utils.data.DataLoader(dataset, **kwargs))


def device():
    return torch_xla.device()


def get_rank():
    return xm.get_ordinal()


def get_local_rank():
    return xm.get_local_ordinal()


def get_world_size():
    return xm.xrt_world_size()


def barrier():
    xm.rendezvous("barrier")


def all_reduce(tensor, op="SUM", group=None):
    return xm.all_reduce("sum", tensor)


def all_gather(tensor, group=None):
    return xm.all_gather(tensor)


def broadcast(tensor, src=0, safe_mode=False):
    return xm.all_reduce("sum", tensor)


def one_rank_only(rank=0, with_barrier=False):
    def decorate(function):
        def on_one(*args, **kwargs):
            if xm.get_ordinal() == rank:
                return function(*args, **kwargs)

        return on_one

    return decorate
