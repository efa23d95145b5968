# ruff: noqa
# mypy: ignore-errors
"""What a program asks before it decides: what a release has, whether there are several replicas, how many."""

import os

import accelerate
import torch
import torch.distributed as dist
import torch_xla
import torch_xla.distributed.xla_multiprocessing  # something starts replicas
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters())


def what_the_release_has():
    model(torch.ones(4, 4, device=device)).sum().backward()
    if hasattr(xm, "reduce_gradients"):
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    else:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        xm.optimizer_step(optimizer)


def what_the_release_may_not_have():
    model(torch.ones(4, 4, device=device)).sum().backward()
    if hasattr(xm, "reduce_gradients_of_tomorrow"):
        optimizer.step()
    else:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
        xm.optimizer_step(optimizer)


def whether_there_are_several(stage):
    several = int(os.environ.get("RANK", -1)) != -1
    if stage == 1 and not several:
        raise ValueError("stage 1 takes several replicas")
    if several:
        flag = torch.tensor([1], device=device)
        dist.broadcast(flag, src=0)
        return flag.item()


def on_the_master(batch):
    loss = model(batch.to(device)).sum()
    xm.all_reduce("sum", [loss])
    if int(os.environ.get("RANK", -1)) == 0:
        print(loss)  # expect: XLA501


def how_many_of_each():
    for _ in range(3):
        experts = torch.randint(0, 4, (16,), device=device)
        print(torch.bincount(experts, minlength=4).shape)
        print(torch.bincount(experts).shape)  # expect: XLA401


def on_the_master_unless_all_are_asked(flags):
    """Whether anybody is left out hangs on two flags."""
    if (flags.once and xm.is_master_ordinal()) or flags.everywhere:
        xm.rendezvous("made")


def on_the_master_where_asked(flags):
    if not flags.several or xm.is_master_ordinal():
        xm.rendezvous("made")  # expect: XLA502 likely


class Head(torch.nn.Module):
    def write(self, path):
        torch.save({name: each.cpu() for name, each in self.state_dict().items()}, path)


def what_an_object_of_a_class_has(path):
    head = Head().to(device)
    if hasattr(head, "write"):
        head.write(path)
    else:
        torch.save(head.state_dict(), path)


def what_it_may_not_have(path):
    head = Head().to(device)
    if hasattr(head, "write_all"):
        head.write_all(path)
    else:
        torch.save(head.state_dict(), path)  # expect: XLA601


def refused_on_xla(settings):
    """Nothing of XLA comes below an assertion that it is another device."""
    assert settings.hw in ("GPU", "CPU"), "for others it is not built"
    if torch.isnan(model(torch.ones(4, 4, device=device))).any():
        print("none")


def refused_without_cuda():
    assert torch.cuda.is_available()
    if torch.isnan(model(torch.ones(4, 4, device=device))).any():
        print("none")


def not_refused(settings):
    assert settings.size in ("small", "large")
    if torch.isnan(model(torch.ones(4, 4, device=device))).any():  # expect: XLA103
        print("none")


def of_many_gpus(accelerator, rewards):
    if xm.is_master_ordinal():
        if accelerator.distributed_type == "MULTI_GPU":
            xm.rendezvous("rewards")
        if accelerator.distributed_type == accelerate.DistributedType.MULTI_GPU:
            xm.rendezvous("rewards")
