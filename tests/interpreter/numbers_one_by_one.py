# ruff: noqa
# mypy: ignore-errors
"""Numbers that are read one by one where no loop is: three and more, each by a graph of its own, are a note.

A loop or a text over many reads them one by one as well.
"""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = pl.MpDeviceLoader([], device)


def train():
    for images, labels in loader:
        with torch_xla.step():
            model(images).sum().backward()
            optimizer.step()


def after_training():
    train()
    weight = model.weight
    shown = {"mean": weight.mean().item(), "std": weight.std().item(), "norm": weight.norm().item()}  # expect: XLA104
    means = {name: p.mean().item() for name, p in model.named_parameters()}  # expect: XLA104
    return shown, means, weight.min().item(), weight.max().item()


def by_one_read():
    train()
    weight = model.weight
    shown = torch.stack([weight.mean(), weight.std(), weight.norm()]).tolist()
    means = torch.stack([p.mean() for p in model.parameters()]).tolist()
    return shown, means


def of_the_host():
    train()
    weight = model.weight.cpu()
    return {"mean": weight.mean().item(), "std": weight.std().item(), "norm": weight.norm().item()}


def what_has_run():
    train()
    weight = model.weight
    mean, deviation, norm = weight.mean(), weight.std(), weight.norm()
    torch_xla.sync()
    return mean.item(), deviation.item(), norm.item()


def each_parameter():
    train()
    for name, p in model.named_parameters():
        print(name, p.mean().item())  # expect: XLA104


def norms_of_gradients():
    for images, labels in loader:
        model(images).sum().backward()
        optimizer.step()
        torch_xla.sync()
        total = 0.0
        for p in model.parameters():
            if p.grad is not None:
                total += p.grad.norm(2).item() ** 2  # expect: XLA104
        print(total**0.5)


def norm_of_all():
    for images, labels in loader:
        model(images).sum().backward()
        optimizer.step()
        torch_xla.sync()
        norms = torch.stack([p.grad.norm(2) for p in model.parameters()])
        print(norms.norm(2).item())


def of_one():
    train()
    for name, p in model.named_parameters():
        if name == "bias":
            print(p.mean().item())
    for name, p in model.named_parameters():
        print(p.mean().item())
        break
    for p in model.parameters():
        print(p.cpu())


def handed_to_a_text():
    for step, (images, labels) in enumerate(loader):
        with torch_xla.step():
            output = model(images)
            losses = output.mean(), output.std(), output.sum()
            sum(losses).backward()
            optimizer.step()
        print("%d: %.3f %.3f %.3f" % (step, *losses))  # expect: XLA104
        print("{}: {:.3f} {:.3f} {:.3f}".format(step, *losses))  # expect: XLA104
        print(f"{losses[0]:.3f} {losses[1]:.3f} {losses[2]:.3f}")  # expect: XLA104
        print("%d: %.3f" % (step, losses[0]))


def read_at_once():
    for step, (images, labels) in enumerate(loader):
        with torch_xla.step():
            output = model(images)
            losses = output.mean(), output.std(), output.sum()
            sum(losses).backward()
            optimizer.step()
            losses = torch.stack(losses)
        losses = losses.tolist()
        print("%d: %.3f %.3f %.3f" % (step, *losses))
        print(f"{losses[0]:.3f} {losses[1]:.3f} {losses[2]:.3f}")


after_training()
by_one_read()
of_the_host()
what_has_run()
each_parameter()
norms_of_gradients()
norm_of_all()
of_one()
handed_to_a_text()
read_at_once()
