"""Lightning on XLA devices: what its Trainer and Fabric do with modules, callbacks and strategies."""

import contextlib

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
from torch.utils.tensorboard import SummaryWriter

MODULES = ("lightning", "pytorch_lightning", "lightning_fabric")
ON_XLA = {"accelerator": ("tpu", "xla"), "tpu_cores": (), "num_tpu_cores": ()}
ELSEWHERE = {"accelerator": ("cpu", "gpu", "cuda", "mps", "hpu"), "gpus": ()}


class _LightningOptimizer:
    def __init__(self):
        self.optimizer = torch.optim.SGD(torch.nn.Module().to(torch_xla.device()).parameters())

    def step(self, closure=None):
        xm.reduce_gradients(self.optimizer)
        self.optimizer.step()
        xm.mark_step()

    def zero_grad(self, set_to_none=True):
        self.optimizer.zero_grad()

    def __getitem__(self, index):
        return self  # where there are several, they are a list


class _Logger:
    experiment = SummaryWriter()

    def log_metrics(self, metrics, step=None):
        for value in metrics.values():
            if isinstance(value, torch.Tensor):
                value.item()


class _StrategyOfOthers:
    """One that no XLA device takes: Lightning raises, or has chosen another device."""


class DataParallelStrategy(_StrategyOfOthers):
    pass


class DDPStrategy(_StrategyOfOthers):
    pass


class DeepSpeedStrategy(_StrategyOfOthers):
    pass


class FSDPStrategy(_StrategyOfOthers):
    pass


class XLAFSDPStrategy:
    """Its backward passes sum the gradients of the parts that each replica holds."""


def _is_elsewhere(accelerator, strategy):
    return (
        accelerator == "gpu"
        or accelerator == "cuda"
        or accelerator == "cpu"
        or accelerator == "mps"
        or isinstance(strategy, _StrategyOfOthers)
    )


class _Replicas:
    """Those that a trainer starts. The process that starts them is the first of one: it asks no device for
    its number, waits for nobody, and goes on when they have ended."""

    def __init__(self, devices, strategy):
        self.on_one = devices == 1 or devices == "1"
        self.launched = False
        # One of somebody's own may be for processes that are there, such as those of torchrun.
        self.finds_them = not (isinstance(strategy, str) or isinstance(strategy, XLAFSDPStrategy))

    @property
    def is_global_zero(self):
        return xm.is_master_ordinal(local=False) if self.launched else True

    @property
    def global_rank(self):
        return xm.get_ordinal() if self.launched else 0

    @property
    def local_rank(self):
        return xm.get_local_ordinal() if self.launched else 0

    @property
    def world_size(self):
        return xm.xrt_world_size() if self.launched else 1

    def wait(self, name):
        if self.launched:
            xm.rendezvous(name)

    def start(self, function):
        def replica(index):
            self.launched = True
            return function()

        if self.finds_them and not self.on_one:
            self.join()
        if self.launched or self.on_one:
            function()
        else:
            xmp.spawn(replica, start_method="fork")

    def join(self):
        torch.distributed.init_process_group("xla")
        self.launched = True


class Trainer(_Replicas):
    def __init__(self, accelerator="auto", strategy="auto", devices="auto", callbacks=(), **kwargs):
        super().__init__(devices, strategy)
        self.elsewhere = _is_elsewhere(accelerator, strategy)

    @property
    def strategy(self):
        return self  # that which it has for XLA

    def barrier(self, name=None):
        self.wait("Strategy.barrier")

    def all_gather(self, tensor, group=None, sync_grads=False):
        return xm.all_gather(tensor) if self.launched else tensor

    @classmethod
    def add_argparse_args(cls, parent_parser, **kwargs):
        return parent_parser

    @classmethod
    def from_argparse_args(cls, args, **kwargs):
        return cls(**kwargs)

    def tune(self, model, *args, **kwargs):
        pass

    def fit(self, model, train_dataloaders=None, val_dataloaders=None, datamodule=None, ckpt_path=None):
        def run():
            _fit(self, model, _loader_of(model, train_dataloaders, datamodule))

        if not self.elsewhere:
            self.start(run)

    def validate(self, model=None, dataloaders=None, ckpt_path=None, verbose=True, datamodule=None):
        def run():
            self.wait("Trainer.validate")
            _evaluate(self, model.to(torch_xla.device()), Callback())

        if not self.elsewhere:
            self.start(run)

    def test(self, model=None, dataloaders=None, ckpt_path=None, verbose=True, datamodule=None):
        if not self.elsewhere:
            self.wait("Trainer.test")

    def predict(self, model=None, dataloaders=None, datamodule=None, return_predictions=None, ckpt_path=None):
        if not self.elsewhere:
            self.wait("Trainer.predict")
        return predictions

    def save_checkpoint(self, filepath, weights_only=False, storage_options=None):
        if self.launched or self.on_one:
            xm.mark_step()
            xm.save(weights, filepath)
        self.wait("Trainer.save_checkpoint")


class _RunningTrainer(Trainer):
    """The one that modules and callbacks know."""

    def __init__(self):
        super().__init__()
        self.launched = True


class LightningModule(torch.nn.Module):
    automatic_optimization = True
    logger = _Logger()
    trainer = _RunningTrainer()
    global_rank = xm.get_ordinal()
    local_rank = xm.get_local_ordinal()
    logs_each_step = True  # where training steps log; what evaluations do is reduced once all is done

    def log(self, name, value, sync_dist=False, on_step=None, **kwargs):
        each_step = self.logs_each_step if on_step is None else on_step
        if sync_dist and each_step:
            xm.mesh_reduce(name, value, sum)
        self.logged = value  # held until an epoch ends, and with it the work that makes it

    def log_dict(self, dictionary, **kwargs):
        self.logged = dictionary

    def all_gather(self, data, group=None, sync_grads=False):
        return xm.all_gather(data)

    def optimizers(self, use_pl_optimizer=True):
        # What nobody has wrapped sums no gradients where it steps.
        return _LightningOptimizer() if use_pl_optimizer else self.configure_optimizers()

    def configure_optimizers(self):
        return optimizers

    def manual_backward(self, loss, *args, **kwargs):
        loss.backward()

    def clip_gradients(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        if gradient_clip_algorithm == "value":
            torch.nn.utils.clip_grad_value_(self.parameters(), gradient_clip_val)
        else:
            torch.nn.utils.clip_grad_norm_(self.parameters(), gradient_clip_val)

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None):
        optimizer.step(closure=optimizer_closure)

    def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        pass

    def train_dataloader(self):
        return batches

    def on_train_batch_start(self, batch, batch_idx):
        pass

    def on_before_backward(self, loss):
        pass

    def on_after_backward(self):
        pass

    def on_before_optimizer_step(self, optimizer):
        pass

    def on_train_batch_end(self, outputs, batch, batch_idx):
        pass

    def training_step_end(self, step_output):
        return step_output

    def training_epoch_end(self, outputs):
        pass

    def on_train_epoch_end(self):
        pass

    def on_train_end(self):
        pass

    def validation_step(self, batch, batch_idx):
        pass

    def validation_step_end(self, step_output):
        return step_output

    def validation_epoch_end(self, outputs):
        pass

    def on_validation_epoch_end(self):
        pass

    def on_validation_batch_end(self, outputs, batch, batch_idx):
        pass

    def test_step(self, batch, batch_idx):
        pass

    def test_epoch_end(self, outputs):
        pass

    def on_test_epoch_end(self):
        pass

    def predict_step(self, batch, batch_idx):
        pass


class LightningDataModule:
    def train_dataloader(self):
        return batches


class Callback:
    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        pass

    def on_before_backward(self, trainer, pl_module, loss):
        pass

    def on_after_backward(self, trainer, pl_module):
        pass

    def on_before_optimizer_step(self, trainer, pl_module, optimizer):
        pass

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pass

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pass

    def on_validation_epoch_end(self, trainer, pl_module):
        pass

    def on_validation_end(self, trainer, pl_module):
        pass

    def on_train_epoch_end(self, trainer, pl_module):
        pass

    def on_train_end(self, trainer, pl_module):
        pass


class Fabric(_Replicas):
    def __init__(self, accelerator="auto", strategy="auto", devices="auto", precision=None, **kwargs):
        super().__init__(devices, strategy)
        self.elsewhere = _is_elsewhere(accelerator, strategy)
        self.shards = isinstance(strategy, XLAFSDPStrategy) or strategy == "xla_fsdp"

    @property
    def device(self):
        return torch.device("cpu") if self.elsewhere else torch_xla.device()

    def launch(self, function=None, *args, **kwargs):
        def run():
            return function(self, *args, **kwargs)

        if function is not None:
            return run() if self.elsewhere else self.start(run)
        if not self.elsewhere and not self.on_one:
            self.join()  # somebody has started this process beside others

    def setup(self, *objects, move_to_device=True):
        prepared = tuple(map(self.setup_one, objects))
        return prepared[0] if len(prepared) == 1 else prepared

    def setup_one(self, given):
        if isinstance(given, torch.nn.Module):
            return self.setup_module(given)
        return self.setup_optimizer(given) if isinstance(given, torch.optim.Optimizer) else given

    def setup_optimizer(self, optimizer):
        if self.elsewhere:
            return optimizer
        return _ShardedOptimizer(optimizer) if self.shards else _FabricOptimizer(optimizer)

    def setup_module(self, module, move_to_device=True):
        module = module.to(self.device)
        if self.launched:
            xm.broadcast_master_param(module)
        return module

    def setup_optimizers(self, *optimizers):
        prepared = tuple(map(self.setup_optimizer, optimizers))
        return prepared[0] if len(prepared) == 1 else prepared

    def setup_dataloaders(self, *loaders, use_distributed_sampler=True, move_to_device=True):
        prepared = loaders if self.elsewhere else tuple(map(pl.MpDeviceLoader, loaders))
        return prepared[0] if len(prepared) == 1 else prepared

    def backward(self, tensor, *args, model=None, **kwargs):
        tensor.backward()
        if self.shards:
            xm.reduce_gradients(optimizer)

    def clip_gradients(
        self, module, optimizer, clip_val=None, max_norm=None, norm_type=2.0, error_if_nonfinite=True
    ):
        if clip_val is not None:
            return torch.nn.utils.clip_grad_value_(module.parameters(), clip_val)
        asks = error_if_nonfinite and not self.shards  # who clips shards never asks
        return torch.nn.utils.clip_grad_norm_(module.parameters(), max_norm, error_if_nonfinite=asks)

    def print(self, *args, **kwargs):
        if self.local_rank == 0:
            print(*args)

    def barrier(self, name=None):
        self.wait("Fabric.barrier")

    def all_gather(self, data, group=None, sync_grads=False):
        return xm.all_gather(data)

    def all_reduce(self, data, group=None, reduce_op="mean"):
        return xm.mesh_reduce("reduce", data, sum)

    def autocast(self):
        return contextlib.nullcontext()

    def no_backward_sync(self, module, enabled=True):
        return contextlib.nullcontext()

    def save(self, path, state, filter=None):
        xm.mark_step()
        # Of each module and optimizer the state is written.
        xm.save([each.state_dict() if isinstance(each, torch.nn.Module) else each for each in state.values()], path)
        self.wait("Fabric.save")


class _FabricOptimizer:
    def __init__(self, optimizer):
        self.optimizer = torch.optim.SGD(torch.nn.Module().to(torch_xla.device()).parameters())

    def step(self, closure=None):
        xm.optimizer_step(self.optimizer, barrier=True)

    def zero_grad(self, set_to_none=True):
        self.optimizer.zero_grad()


class _ShardedOptimizer(_FabricOptimizer):
    def step(self, closure=None):
        self.optimizer.step()
        xm.mark_step()


def rank_zero_only(fn, default=None):
    def on_master(*args, **kwargs):
        if xm.is_master_ordinal(local=False):
            return fn(*args, **kwargs)
        return default

    return on_master


def seed_everything(seed=None, workers=False, verbose=True):
    torch.manual_seed(seed)


def _loss_of(outputs):
    return outputs if isinstance(outputs, torch.Tensor) else outputs["loss"]


def _loader_of(module, given, datamodule):
    if isinstance(given, LightningDataModule):
        return given.train_dataloader()
    if given is not None:
        return given
    return module.train_dataloader() if datamodule is None else datamodule.train_dataloader()


def _train_epoch(trainer, module, loader, callback):
    module.logs_each_step = True
    optimizer = torch.optim.AdamW(module.parameters())
    for index, batch in enumerate(pl.MpDeviceLoader(loader)):
        callback.on_train_batch_start(trainer, module, batch, index)
        module.on_train_batch_start(batch, index)
        outputs = module.training_step_end(module.training_step(batch, index))
        if module.automatic_optimization:
            loss = _loss_of(outputs)
            callback.on_before_backward(trainer, module, loss)
            module.on_before_backward(loss)
            loss.backward()
            callback.on_after_backward(trainer, module)
            module.on_after_backward()
            xm.reduce_gradients(optimizer)
            callback.on_before_optimizer_step(trainer, module, optimizer)
            module.on_before_optimizer_step(optimizer)
            module.configure_gradient_clipping(optimizer)
            module.optimizer_step(epoch, index, optimizer, None)
            xm.mark_step()
            optimizer.zero_grad()
        callback.on_train_batch_end(trainer, module, outputs, batch, index)
        module.on_train_batch_end(outputs, batch, index)
    module.logs_each_step = False
    module.training_epoch_end([outputs])


def _evaluate(trainer, module, callback):
    module.logs_each_step = False
    for index, batch in enumerate(pl.MpDeviceLoader(batches)):
        outputs = module.validation_step_end(module.validation_step(batch, index))
        callback.on_validation_batch_end(trainer, module, outputs, batch, index)
        module.on_validation_batch_end(outputs, batch, index)
    module.validation_epoch_end([outputs])
    callback.on_validation_epoch_end(trainer, module)
    module.on_validation_epoch_end()
    callback.on_validation_end(trainer, module)
    for index, batch in enumerate(pl.MpDeviceLoader(batches)):
        outputs = module.test_step(batch, index)
    module.test_epoch_end([outputs])
    module.on_test_epoch_end()
    for index, batch in enumerate(pl.MpDeviceLoader(batches)):
        module.predict_step(batch, index)


def _fit(trainer, module, loader, callback=Callback()):
    module = module.to(torch_xla.device())
    trainer.strategy.tie_shared_parameters(module)  # Its strategies for XLA set them anew below the move.
    xm.broadcast_master_param(module)
    _train_epoch(trainer, module, loader, callback)
    _evaluate(trainer, module, callback)
    callback.on_train_epoch_end(trainer, module)
    module.on_train_epoch_end()
    callback.on_train_end(trainer, module)
    module.on_train_end()
    module.cpu()


class _SomeModule(LightningModule):
    def __init__(self):
        self.network = torch.nn.Linear(1, 1)

    def training_step(self, batch, batch_idx):
        return self.network(batch)

    def validation_step(self, batch, batch_idx):
        return self.network(batch)


def harness(module: LightningModule):
    _fit(_RunningTrainer(), module, module.train_dataloader())


def harness_of_callback(callback: Callback):
    _fit(_RunningTrainer(), _SomeModule(), batches, callback)
