"""Pretraining with neuronx-distributed: its optimizer sums and clips, and ends no step."""

import neuronx_distributed as nxd
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from neuronx_distributed.parallel_layers import checkpointing
from neuronx_distributed.parallel_layers.parallel_state import (
    get_data_parallel_rank, get_tensor_model_parallel_rank,
)


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = torch.nn.Linear(width, width)

    def forward(self, x):
        return self.layer(x).square().mean()


def build(width):
    return Net(width)


def train(dataset, steps):
    config = nxd.neuronx_distributed_config(tensor_parallel_size=8)
    model = nxd.initialize_parallel_model(config, build, 8)
    optimizer = nxd.initialize_parallel_optimizer(config, torch.optim.AdamW, model.parameters(), lr=1e-4)
    loader = pl.MpDeviceLoader(dataset, torch_xla.device())
    for step, batch in enumerate(loader):
        loss = model.run_train(batch)
        optimizer.step()
        optimizer.zero_grad()
        print(step, loss.item())  # expect: XLA102
        if step == steps:
            if xm.is_master_ordinal(local=False):
                nxd.save_checkpoint("out", tag=f"{step}", model=model)  # expect: XLA502
            break


def train_well(dataset, steps):
    config = nxd.neuronx_distributed_config(tensor_parallel_size=8)
    model = nxd.initialize_parallel_model(config, build, 8)
    optimizer = nxd.initialize_parallel_optimizer(config, torch.optim.AdamW, model.parameters(), lr=1e-4)
    for step, batch in enumerate(dataset):
        loss = model.run_train(batch.to(torch_xla.device()))
        optimizer.step()
        optimizer.zero_grad()
        torch_xla.sync()  # expect: XLA201
        print(step, loss.item())
        if step == steps:
            nxd.save_checkpoint("out", tag=f"{step}", model=model)  # quiet: all replicas save, after the step
            break


def train_without_end(dataset, device):
    model = nxd.initialize_parallel_model(None, build, 8)
    optimizer = nxd.initialize_parallel_optimizer(None, torch.optim.AdamW, model.parameters())
    for batch in [dataset[0], dataset[1]]:  # expect: XLA202
        model.run_train(batch.to(torch_xla.device()))
        optimizer.step()


def tells_the_norm(dataset):
    model = nxd.initialize_parallel_model(None, build, 8)
    optimizer = nxd.initialize_parallel_optimizer(None, torch.optim.AdamW, model.parameters())
    for step, batch in enumerate(pl.MpDeviceLoader(dataset, torch_xla.device())):
        model.run_train(batch)
        optimizer.step()
        print(optimizer.grad_norm.item())  # expect: XLA102
        optimizer.zero_grad()
        if step % 100 == 0:
            nxd.save_checkpoint("out", model=model)  # quiet: the replicas meet first, which runs the step


def save_of_one_rank(model, step):
    if get_data_parallel_rank() == 0 and get_tensor_model_parallel_rank() == 0:
        checkpointing.save({"model": model.state_dict()}, f"out/{step}")  # expect: XLA503 likely


def save_of_all_ranks(model, step):
    checkpointing.save({"model": model.state_dict()}, f"out/{step}")
    if get_data_parallel_rank() == 0:
        print("saved", step)


def train_and_save(model, optimizer, dataset, steps, every):
    step = 0
    for batch in pl.MpDeviceLoader(dataset, torch_xla.device()):
        model.run_train(batch)
        optimizer.step()
        step += 1
        if step % every == 0:
            if get_data_parallel_rank() == 0:
                checkpointing.save({"model": model.state_dict()}, f"out/{step}")  # expect: XLA503 likely
            xm.rendezvous("saved")
        if step >= steps:
            break  # quiet: all replicas count alike
