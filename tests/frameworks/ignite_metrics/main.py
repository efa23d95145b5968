"""Metrics that are attached to an engine of ignite are summed over all replicas when it ends an epoch."""

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from ignite.metrics import Accuracy, Loss


def training(local_rank, dataset):
    loader = idist.auto_dataloader(dataset, batch_size=8, drop_last=True)
    model = idist.auto_model(torch.nn.Linear(4, 4))

    def infer(engine, batch):
        return model(batch[0]), batch[1]

    evaluator = Engine(infer)
    for name, metric in {"accuracy": Accuracy(), "loss": Loss(torch.nn.CrossEntropyLoss())}.items():
        metric.attach(evaluator, name)
    trainer = Engine(infer)

    @trainer.on(Events.EPOCH_COMPLETED)
    def validate(engine):
        evaluator.run(loader)  # quiet: all replicas sum
        if idist.get_rank() == 0:
            evaluator.run(loader)  # expect: XLA502


def counting_nothing(local_rank, dataset):
    loader = idist.auto_dataloader(dataset, batch_size=8, drop_last=True)
    model = idist.auto_model(torch.nn.Linear(4, 4))
    evaluator = Engine(lambda engine, batch: model(batch[0]))
    if idist.get_rank() == 0:
        evaluator.run(loader)  # quiet: nothing is summed


def main():
    dataset = torch.utils.data.TensorDataset(torch.randn(16, 4))
    with idist.Parallel(backend="xla-tpu") as parallel:
        parallel.run(training, dataset)
    with idist.Parallel(backend="xla-tpu") as parallel:
        parallel.run(counting_nothing, dataset)


if __name__ == "__main__":
    main()
