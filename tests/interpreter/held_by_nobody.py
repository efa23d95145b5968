"""What was read, and what nobody holds when the statement ends, is gone before the next cut: it ran once. So is
what a copy to the host has made whole, where backward needs nothing of it."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device).eval()
loader = pl.MpDeviceLoader([], device)


@torch.no_grad()
def read_out_of_the_call():
    found = []
    for batch in loader:
        found.append(model(batch).argmax(-1).cpu())
    return found


@torch.no_grad()
def bound_and_read():
    found = []
    for batch in loader:
        scores = model(batch)
        found.append(scores.cpu())
    return found


@torch.no_grad()
def shown_whole_and_used():
    total = torch.zeros((), device=device)
    for batch in loader:
        scores = model(batch)
        print(scores.detach().cpu().shape)
        total += scores.sum()
    return total


def bound_and_read_where_backward_may_need_it():
    found = []
    for batch in loader:
        scores = model(batch).square()
        found.append(scores.cpu())  # expect: XLA102 likely
    return found


def computed_without_a_gradient():
    found = []
    for batch in loader:
        best = model(batch).argmax(-1)
        found.append(best.cpu())
        likely = model(batch).sigmoid() > 0.5
        found.append(likely.cpu().numpy())
        marked = torch.isfinite(model(batch)).float()
        print(marked)
        best = model(batch).argmax(-1)
        found.append(best.view(-1).cpu())  # expect: XLA102
    return found


def the_best_of_what_is_held():
    found = []
    for batch in loader:
        scores = model(batch).square()
        best = scores.argmax(-1)
        found.append(best.cpu())  # expect: XLA102
    return found


def gradients_are_computed_of_what_was_read():
    for batch in loader:
        loss = model(batch).square().mean()
        print(loss)  # expect: XLA102
        loss.backward()


def with_gradients(loss):
    loss.backward()


def gradients_are_computed_by_another_function():
    for batch in loader:
        loss = model(batch).square().mean()
        print(loss)  # expect: XLA102
        with_gradients(loss)


def seen_to_be_called(found):
    for batch in loader:
        scores = model(batch).square()
        found.append(scores.cpu())  # expect: XLA102


seen_to_be_called([])


@torch.no_grad()
def one_of_two_is_read():
    found = []
    for batch in loader:
        scores = model(batch)
        shares = scores.softmax(-1)
        found.append(scores.cpu())  # expect: XLA102
        found.append(shares.max(-1).values.cpu())  # expect: XLA102
    return found


@torch.no_grad()
def bound_anew_by_what_was_read():
    found = []
    for batch in loader:
        scores = model(batch)
        scores = scores.cpu()
        found.append(scores)
    return found


@torch.no_grad()
def deleted():
    found = []
    for batch in loader:
        scores = model(batch)
        found.append(scores.cpu())
        del scores
    return found


@torch.no_grad()
def deleted_when_read_twice():
    for batch in loader:
        scores = model(batch)
        print(scores.sum().item())  # expect: XLA102
        print(scores.cpu())
        del scores


@torch.no_grad()
def kept_in_a_list():
    kept = []
    for batch in loader:
        kept.append(model(batch))
        print(kept[-1].cpu())  # expect: XLA102


@torch.no_grad()
def part_of_what_is_held():
    for batch in loader:
        scores = model(batch)
        right = scores.argmax(-1)
        print(right.cpu())  # expect: XLA102
        del right


def gradients_are_held():
    for batch in loader:
        loss = model(batch).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102
        del loss


def held_by_the_caller(scores):
    scores = scores.cpu()
    return scores


@torch.no_grad()
def held_while_a_function_reads():
    for batch in loader:
        scores = model(batch)
        held_by_the_caller(scores)  # expect: XLA102


@torch.no_grad()
def given_away_and_read():
    for batch in loader:
        held_by_the_caller(model(batch))


def loss_of(weights, rows):
    return ((rows @ weights) ** 2).mean()


@torch.no_grad()
def flushed_by_a_counter(rows, every):
    weights = torch.randn(4, 4, device=device)
    for _ in range(3):
        unflushed = 0
        for batch in range(10):
            weights = weights - model(weights)
            unflushed += 1
            if unflushed >= every:
                torch_xla.sync()
                unflushed = 0
        if unflushed:
            torch_xla.sync()
        # What names hold is held on some ways only, and what this computes is gone.
        print(float(loss_of(weights, rows.to(device))))


@torch.no_grad()
def held_by_what_it_binds(rows, every):
    weights = torch.randn(4, 4, device=device)
    for batch in range(10):
        weights = weights - model(weights)
        if batch % every == 0:
            torch_xla.sync()
        print(float(loss := loss_of(weights, rows.to(device))))  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


@torch.no_grad()
def computed_of_what_has_run(domains):
    basis = torch.randn(4, 4, device=device)
    for domain in domains:
        print((basis.T @ basis).abs().max().item())  # what `error` holds, and the loader runs, is none of it
        for batch in loader:
            scores = model(batch)
        basis, _ = torch.linalg.qr(basis)
        torch_xla.sync()
        error = basis.T @ basis
        print(error.max().item())  # expect: XLA102
    return error


@torch.no_grad()
def computed_of_what_waits(domains):
    basis = torch.randn(4, 4, device=device)
    for domain in domains:
        for batch in loader:
            scores = model(batch)
        basis, _ = torch.linalg.qr(basis)
        print((basis.T @ basis).abs().max().item())  # expect: XLA102
        torch_xla.sync()
    return basis
