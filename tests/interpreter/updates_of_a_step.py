# ruff: noqa
# mypy: ignore-errors
"""Loops over a few updates inside one step belong to that step; a read of what is none of its work ends nothing."""

import evaluate
import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters())
loader = torch.utils.data.DataLoader([])
metric = evaluate.load("accuracy")


def updates(batch):
    for _ in range(2):
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()  # holds: scopes.in_batches = True


def updates_of_one_batch_and_a_cut():
    for batch in loader:
        updates(batch.to(device))
        torch_xla.sync()  # expect: XLA201
    print("no batch any more")  # holds: scopes.in_batches = False


def updates_of_one_batch_and_none():
    for batch in loader:  # expect: XLA202
        updates(batch.to(device))
    torch_xla.sync()


def updates_with_a_cut_each():
    for batch in loader:
        for _ in range(2):
            optimizer.zero_grad()
            model(batch.to(device)).sum().backward()
            optimizer.step()
            torch_xla.sync()  # expect: XLA201


def updates_of_no_batch():
    for _ in range(1000):  # expect: XLA202
        optimizer.zero_grad()
        model(torch.randn(4, 4).to(device)).sum().backward()
        optimizer.step()
    torch_xla.sync()


def a_read_of_no_work():
    labels = torch.ones(4, device=device)
    for _ in range(1000):  # expect: XLA202
        optimizer.zero_grad()
        print(labels.max().item())
        model(torch.randn(4, 4).to(device)).sum().backward()
        optimizer.step()  # holds: loop.own.reads = False


def a_read_of_the_work():
    for _ in range(1000):  # expect: XLA202
        optimizer.zero_grad()
        loss = model(torch.randn(4, 4).to(device)).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
    print("the end")  # holds: loop.nested.reads = True


def a_metric_that_reads():
    for batch in loader:
        metric.add_batch(predictions=model(batch.to(device)))
    print(metric.compute())


def predictions_that_nobody_reads():
    for batch in loader:  # expect: XLA202
        _ = model(batch.to(device))


x = torch.ones(4, 4, device=device)


def rounds(batch):
    for _ in range(1000):  # expect: XLA202
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


def rounds_in_every_batch_and_then_alone():
    for batch in loader:
        optimizer.zero_grad()
        rounds(x)
        torch_xla.sync()  # expect: XLA201
    for epoch in range(3):
        optimizer.zero_grad()
        rounds(x)
        torch_xla.sync()  # expect: XLA201


def predictions_that_a_list_gathers():
    gathered = []
    for batch in loader:  # expect: XLA202
        prediction = model(batch.to(device))
        gathered.append(prediction)
        print(prediction.sum().item())
    return gathered


def predictions_that_a_pair_holds():
    for batch in loader:
        prediction = model(batch.to(device))
        pair = (prediction, prediction)
        print(pair[0].sum().item())


def updates_for_each_of_something_unknown(batches):
    for batch in batches:
        for _ in range(5):
            optimizer.zero_grad()
            model(batch.to(device)).sum().backward()
            optimizer.step()
    torch_xla.sync()


def predictions_whose_parts_a_model_keeps():
    total = 0
    for batch in loader:
        _ = model(batch.to(device))
        total += model.last_attention.float().sum().cpu()
    return total


def predictions_whose_parts_a_hook_gets(hook):
    handle = model.register_forward_hook(hook)
    for batch in loader:
        _ = model(batch.to(device))
    handle.remove()


def brighter(y):
    return (y + torch.rand(y.size(0), 1, device=y.device)) / 2.0


def cut_out(y):
    at = torch.randint(0, 4, (3,), device=y.device)
    y[:, at[0] : at[0] + 2] = 0  # expect: XLA103 likely
    return y


CHANGES = {"color": [brighter], "cut": [cut_out]}


def rounds_that_hand_on_what_they_may_have_read(policy):
    for batch in loader:
        y = model(batch.to(device))
        for change in CHANGES[policy]:
            y = change(y)
        print(y.mean().item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
