# ruff: noqa
# mypy: ignore-errors
"""What was copied to the host is there: on the engine a further read of it launches nothing, until a cut."""

import sys

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(2, 4, device=device)
log = []


def copied_first():
    for step in range(9):
        loss = model(x).sum()
        log.append(loss.detach().cpu())  # expect: XLA102
        log.append(loss.item())
        print(f"{loss:.3f}", loss.cpu(), loss.tolist())
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def moved_first():
    for step in range(9):
        loss = model(x).sum()
        log.append(loss.to("cpu"))  # expect: XLA102
        if loss > 3:  # expect: XLA103
            print(loss.item())
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def an_item_is_no_copy():
    for step in range(9):
        loss = model(x).sum()
        log.append(loss.item())  # expect: XLA102
        log.append(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def copied_on_the_first_way_only(often):
    for step in range(9):
        loss = model(x).sum()
        if often:
            log.append(loss.cpu())  # expect: XLA102
        print(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def copied_on_the_second_way_only(often):
    for step in range(9):
        loss = model(x).sum()
        if often:
            pass
        else:
            log.append(loss.cpu())  # expect: XLA102
        print(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def another_by_the_same_name():
    for step in range(9):
        loss = model(x).sum()
        log.append(loss.cpu())  # expect: XLA102
        loss = model(x).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def computed_of_it_in_place():
    for step in range(9):
        loss = model(x).sum()
        log.append(loss.cpu())  # expect: XLA102
        loss += model(x).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


copied_first()
moved_first()
an_item_is_no_copy()
copied_on_the_first_way_only("often" in sys.argv)
copied_on_the_second_way_only("often" in sys.argv)
another_by_the_same_name()
computed_of_it_in_place()


def computed_of_it():
    for step in range(9):
        scores = model(x)
        best = scores.argmax(-1)
        log.append(best.cpu())  # expect: XLA102
        print((best == 0).float().mean().item())
        print((best == scores.argmin(-1)).float().mean().item())  # expect: XLA102
        scores.sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


computed_of_it()


def shown_first():
    for step in range(9):
        loss = model(x).sum()
        print(step, loss)  # expect: XLA102
        log.append(loss.item())
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def made_text_first():
    for step in range(9):
        loss = model(x).sum()
        log.append(f"{loss!r}")  # expect: XLA102
        log.append(str(loss))
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def an_f_string_is_no_copy():
    for step in range(9):
        loss = model(x).sum()
        log.append(f"{loss:.2f}")  # expect: XLA102
        log.append(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


shown_first()
made_text_first()
an_f_string_is_no_copy()


table = torch.empty(18, 1)


def copied_into_the_cpu():
    for step in range(9):
        scores = model(x)
        table[2 * step : 2 * step + 2] = scores
        torch_xla.sync()  # expect: XLA201


def copied_in_place():
    for step in range(9):
        scores = model(x)
        table[:2].copy_(scores)
        torch_xla.sync()  # expect: XLA201


def added_on_the_cpu():
    for step in range(9):
        scores = model(x)
        table[:2] += scores  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


with torch.no_grad():
    copied_into_the_cpu()
    copied_in_place()
    added_on_the_cpu()


def copied_before_backward():
    for step in range(9):
        scores = model(x)
        table[:2] = scores  # expect: XLA102
        scores.sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


copied_before_backward()


def copied_of_what_has_no_history():
    for step in range(9):
        with torch.no_grad():
            scores = model(x)
        scores = scores.softmax(-1) * 2
        log.append(scores.cpu())
        torch_xla.sync()  # expect: XLA201


def copied_of_what_is_held_itself():
    for step in range(9):
        with torch.no_grad():
            scores = model(x)
        shares = scores.softmax(-1)
        log.append(shares.cpu())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def copied_of_what_may_have_one():
    for step in range(9):
        scores = model(x)
        scores = scores.softmax(-1) * 2
        log.append(scores.cpu())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


copied_of_what_has_no_history()
copied_of_what_is_held_itself()
copied_of_what_may_have_one()
