"""Iterating a dict gives its keys; a batch asked for a key is a mapping; and tests of flags in any spelling."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def keys_of_a_dict(loader):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    for batch in pl.MpDeviceLoader(loader, device):
        parts = {name: model(batch) for name in ("first", "second")}
        for key in parts:
            if key.startswith("first") and key != "last":
                print(key, parts[key].sum().item())  # expect: XLA102
        known = {"loss": model(batch), "count": 3}
        for key in known:
            if key == "loss":
                print(key)


def a_batch_that_is_asked(loader, least):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    for batch in pl.MpDeviceLoader(loader, device):
        if batch.get("size", 0) < least:  # quiet: the size may be a number
            continue
        model(batch["inputs"])


def spelled_otherwise(loader, model, args):
    if args.tpu:
        device = xm.xla_device()  # expect: XLA002
        loader = pl.MpDeviceLoader(loader, device)
        model = model.to(device)
    for batch in loader:
        loss = model(batch).sum()
        if args.tpu != True:  # noqa: E712
            print(loss.item())
        if args.tpu is not False:
            print(loss.item())  # expect: XLA102 likely


def measured_only(loader):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters())
    for batch in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        model(batch).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=float("inf"))
        xm.optimizer_step(optimizer)


def set_by_the_names_that_it_has(saved, batches):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    loader = pl.MpDeviceLoader(batches, device)
    state = {"step": 0, "best": 0.0}
    for name in state:
        state[name] = saved[name]
    for x in loader:
        state["best"] = model(x).sum()
        if state["best"] > 1.0:  # expect: XLA103
            print("good")
        state["step"] += 1
        if state["step"] > 10:
            print("long")
