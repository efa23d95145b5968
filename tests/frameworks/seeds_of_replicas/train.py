"""Frameworks that broadcast no weights: a seed of its own gives each replica another model."""

import ignite.distributed as idist
import torch
import torch_xla
from accelerate import Accelerator
from accelerate.utils import set_seed
from ignite.engine import Engine
from ignite.utils import manual_seed


def accelerated(loader):
    accelerator = Accelerator()
    model = torch.nn.Linear(4, 4)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), loader)
    for x in loader:
        optimizer.zero_grad()
        accelerator.backward(model(x).mean())
        optimizer.step()


def each_its_own(loader):
    set_seed(7, device_specific=True)  # expect: XLA517
    accelerated(loader)


def one_for_all(loader):
    set_seed(7)
    accelerated(loader)


def its_own_after_the_model(loader):
    set_seed(7)
    accelerated(loader)
    set_seed(7, device_specific=True)  # quiet: the weights are drawn


def ignited(local_rank, dataset):
    model = idist.auto_model(torch.nn.Linear(4, 4))
    optimizer = idist.auto_optim(torch.optim.SGD(model.parameters(), lr=0.1))

    def step(engine, batch):
        optimizer.zero_grad()
        model(batch[0]).sum().backward()
        optimizer.step()

    Engine(step).run(idist.auto_dataloader(dataset, batch_size=8, drop_last=True), max_epochs=2)


def ignited_apart(local_rank, dataset):
    manual_seed(7 + idist.get_rank())  # expect: XLA517
    ignited(local_rank, dataset)


def ignited_alike(local_rank, dataset):
    manual_seed(7)
    ignited(local_rank, dataset)


def unseeded(index, loader):
    accelerated(loader)


def main(dataset, loader):
    each_its_own(loader)
    one_for_all(loader)
    its_own_after_the_model(loader)
    with idist.Parallel(backend="xla-tpu") as parallel:
        parallel.run(ignited_apart, dataset)
        parallel.run(ignited_alike, dataset)


def launch(loader):
    torch_xla.launch(unseeded, args=(loader,))  # quiet: the framework may give a seed
