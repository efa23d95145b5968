# ruff: noqa
# mypy: ignore-errors
"""What a model returns as a tuple or as an object of a library, as a setting says, is made of tensors."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from somewhere import Output, batches, settings

device = torch_xla.device()


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(4, 4)

    def forward(self, words, labels=None, return_dict=None):
        logits = self.head(words)
        loss = None
        if labels is not None:
            loss = torch.nn.functional.cross_entropy(logits, labels)
        if not return_dict:
            output = (logits,)
            return ((loss,) + output) if loss is not None else output
        return Output(loss=loss, logits=logits)


def train():
    model = Tagger().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader(batches, device):
        optimizer.zero_grad()
        outputs = model(**batch, return_dict=settings.return_dict)
        loss = outputs.loss
        loss.backward()
        xm.optimizer_step(optimizer)
        print(loss.item())  # expect: XLA102


def ask():
    model = Tagger().to(device)
    for batch in pl.MpDeviceLoader(batches, device):
        outputs = model(**batch, return_dict=settings.return_dict)
        if not outputs:
            continue
        if outputs[0] is None:
            continue
        print(len(outputs))


def tensor_or_tuple(names):
    model = Tagger().to(device)
    for batch in pl.MpDeviceLoader(batches, device):
        logits = model(**batch)
        if settings.pairs:
            logits = (logits, names)
        if logits:
            print("something")
