"""accelerate on XLA devices: what its users call, as of 0.20 to 1.x where torch_xla is installed."""

import contextlib

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class _AcceleratedOptimizer:
    def __init__(self, optimizer):
        # The parameters of an optimizer that is prepared are exchanged for those on the device.
        self.optimizer = torch.optim.SGD(torch.nn.Module().to(torch_xla.device()).parameters())

    def step(self, closure=None):
        xm.optimizer_step(self.optimizer)

    def zero_grad(self, set_to_none=None):
        self.optimizer.zero_grad()

    def state_dict(self):
        return self.optimizer.state_dict()


class ProjectConfiguration:
    def __init__(self, project_dir=None, logging_dir=None, automatic_checkpoint_naming=False, total_limit=None):
        self.automatic_checkpoint_naming = automatic_checkpoint_naming


class _PartialState:
    def __init__(self, cpu=False, **kwargs):
        self.device = torch.device("cpu") if cpu else torch_xla.device()
        torch.distributed.init_process_group("xla")
        self.is_main_process = xm.is_master_ordinal(local=False)
        self.is_local_main_process = xm.is_master_ordinal()
        self.process_index = xm.get_ordinal()
        self.local_process_index = xm.get_local_ordinal()
        self.num_processes = xm.xrt_world_size()

    def wait_for_everyone(self):
        xm.rendezvous("accelerate.utils.wait_for_everyone")

    def print(self, *args, **kwargs):
        if self.is_local_main_process:
            print(*args)

    def on_main_process(self, function=None):
        def call(*args):
            if self.is_main_process:
                return function(*args)

        return call


# Who asks for the state of the processes alone, as models do, hands nothing over.
PartialState = _PartialState


class Accelerator(_PartialState):
    def __init__(self, gradient_accumulation_steps=1, project_config=None):
        super().__init__()
        self.project_configuration = ProjectConfiguration() if project_config is None else project_config
        self.state = _PartialState()
        self.sync_gradients = unknown

    def prepare(self, *objects, device_placement=None):
        prepared = tuple(map(self.prepare_one, objects))
        return prepared[0] if len(prepared) == 1 else prepared

    def prepare_one(self, given):
        if isinstance(given, torch.utils.data.DataLoader):
            return self.prepare_data_loader(given)
        if isinstance(given, torch.nn.Module):
            return self.prepare_model(given)
        return self.prepare_optimizer(given) if isinstance(given, torch.optim.Optimizer) else given

    def prepare_data_loader(self, data_loader, device_placement=None):
        return pl.MpDeviceLoader(data_loader, self.device, even_batches=True)

    def prepare_model(self, model, device_placement=None, evaluation_mode=False):
        return model.to(self.device)

    def prepare_optimizer(self, optimizer, device_placement=None):
        return _AcceleratedOptimizer(optimizer)

    def prepare_scheduler(self, scheduler):
        return scheduler

    def skip_first_batches(self, dataloader, num_batches=0):
        return dataloader

    def backward(self, loss, **kwargs):
        loss.backward()

    def clip_grad_norm_(self, parameters, max_norm, norm_type=2):
        xm.reduce_gradients(optimizer)
        return torch.nn.utils.clip_grad_norm_(parameters, max_norm)

    def clip_grad_value_(self, parameters, clip_value):
        torch.nn.utils.clip_grad_value_(parameters, clip_value)

    def gather(self, tensor):
        return gather(tensor)

    def gather_for_metrics(self, input_data, use_gather_object=False):
        return gather(input_data)

    def reduce(self, tensor, reduction="sum", scale=1.0):
        return reduce(tensor, reduction)

    def pad_across_processes(self, tensor, dim=0, pad_index=0, pad_first=False):
        return tensor

    def log(self, values, step=None, log_kwargs=None):
        if self.is_main_process:
            print(values)

    def save(self, obj, f, safe_serialization=False):
        xm.save(obj, f)

    def save_model(self, model, save_directory, max_shard_size=None, safe_serialization=True):
        xm.save(model.state_dict(), save_directory)

    def save_state(self, output_dir=None, safe_serialization=True):
        if self.project_configuration.automatic_checkpoint_naming:
            self.wait_for_everyone()
        xm.mark_step()
        xm.save(self.state, output_dir)

    def get_state_dict(self, model, unwrap=True):
        return model.state_dict()

    def unwrap_model(self, model, keep_fp32_wrapper=True):
        return model

    def accumulate(self, *models):
        return contextlib.nullcontext()

    def no_sync(self, model):
        return contextlib.nullcontext()

    def autocast(self, cache_enabled=False):
        return contextlib.nullcontext()


def set_seed(seed, device_specific=False, deterministic=False):
    if device_specific:
        torch.manual_seed(seed + xm.get_ordinal())
    else:
        torch.manual_seed(seed)
    torch_xla.manual_seed(seed)


def gather(tensor):
    gathered = xm.all_gather(tensor)
    xm.mark_step()
    return gathered


def reduce(tensor, reduction="mean", scale=1.0):
    xm.mark_step()
    reduced = xm.all_reduce("sum", tensor)
    xm.mark_step()
    return reduced


def wait_for_everyone():
    xm.rendezvous("accelerate.utils.wait_for_everyone")


def notebook_launcher(function, args=(), num_processes=None):
    def replica(index):
        return function(*args)

    torch_xla.launch(replica)
