# ruff: noqa
# mypy: ignore-errors
"""What both arms of a test of the replicas lead to is done by all of them; what one leads to is not."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = "xla"


def trained(model, optimizer, batches, writer):
    for batch in batches:
        loss = xm.all_reduce(xm.REDUCE_SUM, model(batch.to(device)).sum())
        print(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer)
        torch_xla.sync()  # expect: XLA201
        if writer is not None:
            writer.add_scalar("epoch", 1)


def evaluated(model, batch):
    return xm.all_reduce(xm.REDUCE_SUM, model(batch.to(device)).sum()).item()


def on_all_of_them(batches, writer):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if xm.is_master_ordinal():
        trained(model, optimizer, batches, writer)
    else:
        trained(model, optimizer, batches, None)


def on_one_of_them(batches):
    model = torch.nn.Linear(4, 4).to(device)
    if xm.is_master_ordinal():
        print(evaluated(model, batches[0]))  # expect: XLA501
    else:
        print(model.weight.shape)


def main(index, batches, writer):
    on_all_of_them(batches, writer)
    on_one_of_them(batches)


if __name__ == "__main__":
    torch_xla.launch(main, args=([torch.randn(4, 4)], None))  # expect: XLA517 likely
