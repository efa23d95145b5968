# ruff: noqa
# mypy: ignore-errors
"""What stands around an iterable: the loop is over what is inside, its variables are what comes out."""

import itertools

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from tqdm import tqdm, trange

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters())
x = torch.randn(4, 4, device=device)


# What is known stays known


def a_progress_bar_over_numbers():
    for step in tqdm(range(10)):  # expect: XLA202
        model(x + torch_xla.device().index).sum().backward()
        optimizer.step()


def numbers_with_a_progress_bar():
    for step in trange(10):  # expect: XLA202
        model(x + torch_xla.device().index).sum().backward()
        optimizer.step()


def inference_over_numbers_is_no_training_loop():
    torch_xla.sync()
    for step in tqdm(range(10)):
        model(x)


def numbered_tensors():
    torch_xla.sync()
    for i, batch in enumerate([x, x]):  # expect: XLA202
        model(batch).sum().backward()
        optimizer.step()


def an_iterator_is_kept_in_a_name(loader):
    batches = enumerate(tqdm(loader))
    torch_xla.sync()
    for i, batch in batches:
        model(batch.to(device)).sum().backward()
        optimizer.step()


class Batches:
    def __iter__(self):
        return iter(self.loader)


def an_object_may_pass_on_a_loader():
    torch_xla.sync()
    for i, batch in enumerate(Batches()):
        model(batch.to(device)).sum().backward()
        optimizer.step()


class Moving:
    """Moves what a loader of torch gives."""

    def __init__(self, samples):
        self.loader = torch.utils.data.DataLoader(samples, batch_size=8)  # expect: XLA404 likely

    def __iter__(self):
        for inputs, targets in self.loader:
            yield inputs.to(device), targets.to(device)


class MovingTorchXLAs(Moving):
    def __init__(self, samples):
        self.loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(samples, batch_size=8), device)  # expect: XLA404 likely


class Shared:
    def __init__(self, samples):
        self.inner = Moving(samples)

    def __iter__(self):
        return iter(self.inner)


class Drawing:
    def __init__(self, samples):
        self.batches = iter(pl.MpDeviceLoader(torch.utils.data.DataLoader(samples, batch_size=8), device))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.batches)


def an_object_moves_what_a_loader_gives(samples):
    for inputs, targets in Moving(samples):  # expect: XLA202
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()


def its_batches_are_numbered(samples):
    for i, (inputs, targets) in enumerate(tqdm(Moving(samples))):  # expect: XLA202
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()


def another_object_passes_it_on(samples):
    for inputs, targets in Shared(samples):  # expect: XLA202
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()


def an_object_goes_over_a_loader_that_cuts(samples):
    for inputs, targets in MovingTorchXLAs(samples):
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102


def an_object_draws_from_a_loader_that_cuts(samples):
    for inputs, targets in Drawing(samples):
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()


# What comes out


def a_progress_bar_shows_the_loss(loader):
    bar = tqdm(loader)
    for batch in bar:
        with torch_xla.step():
            loss = model(x).sum()
            bar.set_postfix(loss=loss)  # expect: XLA101


def tensors_come_out_beside_what_is_unknown(loader):
    for batch, weight in zip(loader, [x, x]):
        with torch_xla.step():
            print((model(x) * weight).sum())  # expect: XLA101
            print(batch)


def filtered_parameters_are_those_of_the_model():
    inner = torch.nn.Linear(4, 4)
    frozen = torch.optim.SGD(filter(lambda p: p.requires_grad, inner.parameters()))
    inner.to(device)  # expect: XLA701
    inner(x).sum().backward()
    xm.optimizer_step(frozen)


def what_is_filtered_is_not_what_the_test_says(loader):
    for batch in filter(lambda batch: batch is not None, loader):
        with torch_xla.step():
            print(batch)
            print(model(x).sum())  # expect: XLA101


def tensors_are_asked_one_by_one(batches):
    with torch_xla.step():
        if any(model(x) > i for i, batch in enumerate(batches)):  # expect: XLA101
            pass


def a_generator_expression_in_a_step(batches):
    with torch_xla.step():
        print(max(model(x).sum().item() for batch in batches))  # expect: XLA101


# What a generator gives is as large as what it goes over


def moved(loader):
    for inputs, labels in loader:
        yield inputs.to(device), labels.to(device)


def moved_if_whole(loader):
    for inputs, labels in loader:
        if len(labels) == 8:
            yield inputs.to(device), labels.to(device)


def filled_up(loader):
    for inputs, labels in loader:
        yield torch.nn.functional.pad(inputs, (0, 0, 0, 8 - len(inputs))).to(device), labels.to(device)


def padded(rows):
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)  # expect: XLA405 likely


def moved_as_they_come(samples):
    for rows in torch.utils.data.DataLoader(samples, 8, drop_last=True, collate_fn=padded):
        yield rows.to(device)


def trained_on_what_is_moved(samples):
    for inputs, _ in moved(torch.utils.data.DataLoader(samples, 8)):  # expect: XLA404 likely
        with torch_xla.step():
            model(inputs).sum().backward()
            optimizer.step()
    for rows in moved_as_they_come(samples):
        with torch_xla.step():
            model(rows).sum().backward()
            optimizer.step()


def trained_on_what_is_whole(samples):
    for inputs, _ in moved_if_whole(torch.utils.data.DataLoader(samples, 8)):
        with torch_xla.step():
            model(inputs).sum().backward()
            optimizer.step()
    for inputs, _ in filled_up(torch.utils.data.DataLoader(samples, 8)):
        with torch_xla.step():
            model(inputs).sum().backward()
            optimizer.step()
