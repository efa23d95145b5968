"""Loops that are compiled again, each for another reason, at the marked line; and others beside them."""

import torch
import torch_xla
from torch import nn
from torch.overrides import TorchFunctionMode, _len_torch_function_stack, _pop_mode, _push_mode
from torch.utils.data import DataLoader

torch.manual_seed(0)
device = torch_xla.device()
STEPS = 8
LATE = 5


def made(*layers):
    model = nn.Sequential(*layers).to(device)
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def update(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def branch_of_one_step():
    model, optimizer = made(nn.Linear(16, 4))
    data = torch.ones(8, 16, device=device)
    for step in range(STEPS):
        with torch_xla.step():  # unawares
            scores = model(data)
            update(optimizer, (scores.sin() if step == LATE else scores).square().mean())


def batch_of_another_size():
    model, optimizer = made(nn.Linear(16, 4))
    sizes = [3 if step == LATE else 8 for step in range(STEPS)]
    for data in DataLoader(torch.ones(8, 16), batch_sampler=[range(size) for size in sizes]):
        data = data.to(device)
        with torch_xla.step():
            update(optimizer, model(data).square().mean())  # XLA407


def longer_slice():
    model, optimizer = made(nn.Linear(16, 4))
    data = torch.ones(20, 16, device=device)
    for step in range(STEPS):
        with torch_xla.step():
            part = data[: step + 2]  # XLA402
            update(optimizer, model(part).square().mean())


def branch_now_and_then():
    model, optimizer = made(nn.Linear(16, 4))
    data = torch.ones(8, 16, device=device)
    for step in range(STEPS):
        with torch_xla.step():
            scores = model(data)
            if step >= LATE:
                scores = scores.tanh()  # XLA407
            update(optimizer, scores.square().mean())


def shift_of_the_step():
    model, optimizer = made(nn.Linear(16, 4))
    data = torch.ones(8, 16, device=device)
    for step in range(STEPS):
        with torch_xla.step():
            shifted = torch.roll(data, step, 0)  # XLA402
            update(optimizer, model(shifted).square().mean())


def lower_precision_later():
    model, optimizer = made(nn.Linear(16, 4))
    data = torch.ones(8, 16, device=device)
    for step in range(STEPS):
        kind = torch.bfloat16 if step >= LATE else torch.float32
        with torch_xla.step():
            scores = model(data).to(kind)  # XLA407
            update(optimizer, scores.float().square().mean())


class Penalty(nn.Module):
    weight = 0.0

    def forward(self, scores):
        loss = scores.square().mean()
        if self.weight:
            loss = loss + scores.abs().mean() * self.weight  # XLA407
        return loss


def operation_that_comes_later():
    model, optimizer = made(nn.Linear(16, 4))
    data, penalty = torch.ones(8, 16, device=device), Penalty()
    for step in range(STEPS):
        penalty.weight = 0.5 * (step >= LATE)
        with torch_xla.step():
            update(optimizer, penalty(model(data)))


def list_that_grows():
    model, optimizer = made(nn.Linear(16, 4))
    data, history = torch.ones(8, 16, device=device), []
    for _ in range(STEPS):
        with torch_xla.step():
            scores = model(data)
            history.append(scores.detach().mean())
            center = torch.stack(history).mean()  # XLA403
            update(optimizer, (scores - center).square().mean())


def mask_of_another_length():
    model, optimizer = made(nn.Linear(16, 4))
    for step in range(STEPS):
        data = torch.ones(8, 16, device=device)
        with torch_xla.step():
            chosen = data[torch.arange(8, device=device) < 8 - step]  # XLA401
            update(optimizer, model(chosen).square().mean())


def evaluation_in_between():
    model, optimizer = made(nn.Linear(16, 16), nn.Dropout(0.5), nn.Linear(16, 4))
    data = torch.ones(8, 16, device=device)
    for step in range(STEPS):
        model.train(step < LATE)
        with torch_xla.step():
            update(optimizer, model(data).square().mean())  # XLA407


def state_that_comes_later():
    model, optimizer = made(nn.Linear(16, 4))
    data = torch.ones(8, 16, device=device)
    for step in range(STEPS):
        if step == LATE:
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        with torch_xla.step():
            optimizer.zero_grad()
            model(data).square().mean().backward()
            optimizer.step()  # XLA407


def turned_now_and_then():
    model, optimizer = made(nn.Linear(16, 4))
    data = torch.ones(8, 16, device=device)
    for step in range(STEPS):
        with torch_xla.step():
            brighter = data + torch.full((8, 16), fill_value=step + 2, device=device)
            if step in (LATE, STEPS - 1):
                brighter = brighter.flip(1)  # XLA407
            update(optimizer, model(brighter).square().mean())


def turned_while_the_state_comes():
    model = nn.Linear(16, 4).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    data = torch.ones(8, 16, device=device)
    for step in range(STEPS):
        with torch_xla.step():
            turned = data.flip(0) if step in (0, 2) else data  # XLA407
            update(optimizer, model(turned).square().mean())


def schedule_of_learning_rates():
    model, optimizer = made(nn.Linear(16, 4))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    data = torch.ones(8, 16, device=device)
    for step in range(STEPS):
        with torch_xla.step():
            update(optimizer, model(data).square().mean() * (1.5 + step))
        schedule.step()


def numbers_that_are_written():
    model, optimizer = made(nn.Linear(16, 4))
    data, written = torch.ones(8, 16, device=device), torch.zeros(4, dtype=torch.long, device=device)
    for step in range(STEPS):
        with torch_xla.step():
            written[0] = 3 * step + 5
            written[1:3] = 3 * step + 6
            update(optimizer, model(data).square().mean())


class Mode(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


def modes_of_the_user():
    model, optimizer = made(nn.Linear(16, 4))
    data = torch.ones(8, 16, device=device)
    own, placed = Mode(), torch.device("cpu")
    for step in range(STEPS):
        if step == 1:
            own.__enter__()
            placed.__enter__()
        if step == 2:
            placed.__exit__(None, None, None)
            own.__exit__(None, None, None)
        if step in (3, 5):
            torch.set_default_device("cpu" if step == 3 else None)
        with torch_xla.step(), Mode():
            update(optimizer, model(data).square().mean())
    modes = [_pop_mode() for _ in range(_len_torch_function_stack())]
    print("modes left:", sum(isinstance(mode, Mode) for mode in modes))
    for mode in reversed(modes):
        _push_mode(mode)


modes_of_the_user()
branch_of_one_step()
for cause in (
    batch_of_another_size, longer_slice, branch_now_and_then, shift_of_the_step, lower_precision_later,
    operation_that_comes_later, list_that_grows, mask_of_another_length, evaluation_in_between,
    state_that_comes_later, turned_now_and_then, turned_while_the_state_comes, schedule_of_learning_rates, numbers_that_are_written,
):  # fmt: skip
    cause()
