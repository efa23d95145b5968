# ruff: noqa
# mypy: ignore-errors
"""Programs that `torchrun` starts: who joins a group of XLA replicas is one of several."""

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_backend


class Training:
    def __init__(self):
        self.model = torch.nn.Linear(4, 4).to(torch_xla.device())
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def backward(self):
        self.model(torch.ones(2, 4, device=torch_xla.device())).sum().backward()


def never_summed():
    dist.init_process_group("xla")
    training = Training()
    training.backward()
    xm.rendezvous("computed")
    training.optimizer.step()  # expect: XLA506


def summed_by_hand():
    dist.init_process_group("xla")
    training = Training()
    training.backward()
    for parameter in training.model.parameters():
        dist.all_reduce(parameter.grad)
    training.optimizer.step()


def wrapped():
    dist.init_process_group("xla")
    training = Training()
    training.model = torch.nn.parallel.DistributedDataParallel(training.model)
    training.backward()
    training.optimizer.step()


def of_the_hosts():
    dist.init_process_group("gloo")
    training = Training()
    training.backward()
    training.optimizer.step()


def alone():
    training = Training()
    training.backward()
    training.optimizer.step()
