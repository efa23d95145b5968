"""An engine of ignite, its handlers, and what one replica does without the others."""

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Accuracy


def create_trainer(model, optimizer):
    device = idist.device()

    def step(engine, batch):
        x, y = batch[0].to(device), batch[1].to(device)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        hits = x[y > 0]  # expect: XLA401
        return loss, hits.mean()

    trainer = Engine(step)

    @trainer.on(Events.ITERATION_COMPLETED)
    def norms(engine):
        for parameter in model.parameters():
            print(parameter.grad.norm().item())  # expect: XLA104

    @trainer.on(Events.ITERATION_COMPLETED(every=100))
    def count():
        print(trainer.state.iteration)  # quiet: a number of the host's

    @trainer.on(Events.EPOCH_COMPLETED)
    def show(engine):
        total = idist.all_reduce(torch.ones(1, device=device))  # quiet: all replicas sum
        if idist.get_rank() == 0:
            idist.all_reduce(total)  # expect: XLA502

    @trainer.on(Events.COMPLETED)
    @idist.one_rank_only()
    def finish(engine):
        print("trained")

    return trainer


def create_evaluator(model):
    def infer(engine, batch):
        return model(batch[0]), batch[1]

    return Engine(infer)


def evaluate(trainer, model, loader):
    bare = create_evaluator(model)
    counting = create_supervised_evaluator(model, metrics={"accuracy": Accuracy()}, device=idist.device())

    @trainer.on(Events.EPOCH_COMPLETED)
    def validate(engine):
        counting.run(loader)  # quiet: all replicas sum
        if idist.get_rank() == 0:
            counting.run(loader)  # expect: XLA502
            bare.run(loader)  # quiet: nothing is summed


def training(local_rank, dataset):
    if idist.get_local_rank() > 0:
        idist.barrier()
    loader = idist.auto_dataloader(dataset, batch_size=8, drop_last=True)
    if idist.get_local_rank() == 0:
        idist.barrier()  # quiet: the others have waited above
    model = idist.auto_model(torch.nn.Linear(4, 4))
    optimizer = idist.auto_optim(torch.optim.SGD(model.parameters(), lr=0.1))
    trainer = create_trainer(model, optimizer)
    evaluate(trainer, model, loader)
    trainer.run(loader, max_epochs=2)


def apart(local_rank, dataset):
    model = idist.auto_model(torch.nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(engine, batch):
        optimizer.zero_grad()
        model(batch[0]).sum().backward()
        optimizer.step()  # expect: XLA506

    Engine(step).run(idist.auto_dataloader(dataset, batch_size=8, drop_last=True), max_epochs=2)


def main():
    dataset = torch.utils.data.TensorDataset(torch.randn(16, 4))
    with idist.Parallel(backend="xla-tpu", nproc_per_node=8) as parallel:
        parallel.run(training, dataset)  # expect: XLA510
    idist.spawn("xla-tpu", apart, args=(dataset,), nproc_per_node=4)  # expect: XLA510
    with idist.Parallel(backend="xla-tpu") as parallel:
        parallel.run(training, dataset)  # quiet: one for each device


if __name__ == "__main__":
    main()
