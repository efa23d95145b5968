"""neuronx-distributed on Neuron devices: what its users call.

From its public sources of 2025 (aws-neuron/neuronx-distributed, `trainer/trainer.py`, `optimizer.py`, `model.py`,
`checkpoint.py` and `parallel_layers/`): a model is moved to the device; an optimizer's step sums the gradients, clips
them, and cuts nothing; a checkpoint is read and written by all replicas, which meet before it is written, and at its
end unless it is asynchronous. Which replica writes it is for the functions that write it: all of them call these.
"""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


class NxDModel(torch.nn.Module):
    def __init__(self, module, nxd_config=None):
        self.module = module

    def forward(self, *inputs, **named):
        return self.module(*inputs, **named)

    def run_train(self, *inputs, **named):
        loss = self.module(*inputs, **named)
        loss.backward()
        return loss


class NxDOptimizer:
    def __init__(self, optimizer, nxd_config=None):
        # The parameters are those of the model, which is on the device.
        self.optimizer = torch.optim.SGD(torch.nn.Module().to(torch_xla.device()).parameters())
        self.grad_norm = unknown

    def step(self, closure=None):
        xm.reduce_gradients(self.optimizer)
        self.grad_norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        self.optimizer.step()

    def zero_grad(self, set_to_none=False):
        self.optimizer.zero_grad()

    def state_dict(self):
        return self.optimizer.state_dict()


def initialize_parallel_model(nxd_config, model_fn, *model_args, **model_kwargs):
    module = model_fn(*model_args, **model_kwargs)
    module = module if isinstance(module, torch.nn.Module) else torch.nn.Linear(1, 1)
    return NxDModel(module).to(torch_xla.device())


def initialize_parallel_optimizer(nxd_config, optimizer_class, parameters, **defaults):
    return NxDOptimizer(optimizer)


def save_checkpoint(path, tag=None, model=None, optimizer=None, scheduler=None, async_save=False, **kwargs):
    xm.rendezvous("Ensure checkpoint directory has been created before moving on.")
    state = model.state_dict() if isinstance(model, torch.nn.Module) else model
    xm.save(state, path)
    if not async_save:
        xm.rendezvous("saving checkpoint done")


def load_checkpoint(path, tag=None, model=None, optimizer=None, scheduler=None, **kwargs):
    xm.rendezvous("load all checkpoints done")


def save(checkpoint, output_dir, save_serially=True, save_xser=False, down_cast_bf16=False, master_dp_only=True):
    xm.rendezvous("Ensure directory exists Done")
    xm.rendezvous("Checkpoint Done")


# Some of the replicas have rank 0: how many, is for a program to say.


def get_data_parallel_rank():
    return xm.get_ordinal() // 8


def get_tensor_model_parallel_rank():
    return xm.get_ordinal() % 8


def get_pipeline_model_parallel_rank():
    return xm.get_ordinal() // 8
