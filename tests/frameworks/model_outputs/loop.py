"""What models of transformers return: by attribute, by key, by position, and taken apart."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from transformers import AutoModelForSequenceClassification


def made(loader):
    device = torch_xla.device()
    model = AutoModelForSequenceClassification.from_pretrained("model", num_labels=3).train().to(device)
    return model, torch.optim.AdamW(model.parameters()), pl.MpDeviceLoader(loader, device)


def by_key(loader):
    model, optimizer, batches = made(loader)
    losses = []
    for batch in batches:
        output = model(batch[0], attention_mask=batch[1], labels=batch[2])
        losses.append(output["loss"].item())  # expect: XLA102
        output["loss"].backward()
        xm.optimizer_step(optimizer)


def by_position(loader):
    model, optimizer, batches = made(loader)
    for batch in batches:
        outputs = model(**batch)
        outputs[0].backward()
        xm.optimizer_step(optimizer)
        print(outputs[1].argmax(-1).cpu())  # expect: XLA102


def taken_apart(loader):
    model, optimizer, batches = made(loader)
    for batch in batches:
        loss, _ = model(**batch, return_dict=False)
        print(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer)


def cut_apart(loader):
    model, optimizer, batches = made(loader)
    for batch in batches:
        loss, _ = model(**batch)[:2]
        print(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer)


def good(loader):
    model, optimizer, batches = made(loader)
    losses = []
    for batch in batches:
        outputs = model(**batch)
        outputs["loss"].backward()
        xm.optimizer_step(optimizer)
        losses.append(outputs[0].detach())
    torch_xla.sync()
    print(torch.stack(losses).mean().item())


def of_a_model_that_nobody_knows(model, loader):
    device = torch_xla.device()
    model, batches = model.eval(), pl.MpDeviceLoader(loader, device)
    for batch in batches:
        with torch.no_grad():
            outputs = model(**{name: value.to(device) for name, value in batch.items()})
        print((outputs.logits.argmax(-1) == 1).sum().item())  # expect: XLA102
        print(outputs.loss.item())  # expect: XLA102
        print(outputs["loss"].item())  # expect: XLA102
