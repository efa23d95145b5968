"""What a function reads twice and does not keep ran twice; what it reads once ran once."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def evaluate_reading_twice(model, loader, device):
    total = right = 0
    for inputs, target in loader:
        outputs = model(inputs.to(device))
        loss = torch.nn.functional.cross_entropy(outputs, target.to(device))
        total += loss.item()  # expect: XLA102
        right += (outputs.argmax(-1) == target.to(device)).sum().item()
    return total, right


def evaluate_reading_once(model, loader, device):
    total = 0
    for inputs, target in loader:
        outputs = model(inputs.to(device))
        total += torch.nn.functional.cross_entropy(outputs, target.to(device)).item()
    return total


def evaluate_reading_one_or_the_other(model, loader, device, with_loss):
    outputs = model(next(loader).to(device))
    if with_loss:
        print(outputs.sum().item())
    if not with_loss:
        print(outputs.argmax(-1).cpu())


def main(train_loader, plain_loader, with_loss):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):
        for batch in pl.MpDeviceLoader(train_loader, device):
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
        torch_xla.sync()
        print(evaluate_reading_twice(model, list(plain_loader), device))
        print(evaluate_reading_once(model, list(plain_loader), device))
        evaluate_reading_one_or_the_other(model, plain_loader, device, with_loss)
    # Called in two places each, so that no program with a change has them in the place of the call, where
    # names would keep what is read.
    print(evaluate_reading_twice(model, list(plain_loader), device))
    print(evaluate_reading_once(model, list(plain_loader), device))
    evaluate_reading_one_or_the_other(model, plain_loader, device, with_loss)


def fetched(scores):
    return scores.cpu().numpy()


class Backbone(torch.nn.Module):
    def __init__(self, made):
        super().__init__()
        self.model = made()

    def forward(self, inputs):
        return self.model(inputs)


def what_is_given_is_held_by_the_caller(loader, made):
    device = torch_xla.device()
    model = Backbone(made).to(device)
    for batch in pl.MpDeviceLoader(loader, device):
        scores = model(batch)
        print(fetched(scores))  # expect: XLA102 likely


device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def agreeing(preds, labels):
    right = ((preds > 0) == labels).float().sum()
    assert right <= labels.sum()  # expect: XLA103
    return right


def overlapping(preds, labels):
    return ((preds > 0).float() * labels).cpu()


def measured(preds, labels):
    agreeing(preds, labels)
    return overlapping(preds, labels)


def a_question_and_a_read_below_one_call():
    for batch in pl.MpDeviceLoader([], device):
        predicted = model(batch)
        measured(predicted, batch)  # expect: XLA102


def a_read_before_a_cut_of_its_own(loss):
    print(loss.item())  # expect: XLA102
    torch_xla.sync()


def one_read_told_at_its_own_place():
    for batch in pl.MpDeviceLoader([], device):
        loss = model(batch).sum()
        a_read_before_a_cut_of_its_own(loss)  # expect: XLA201
