"""Functions of timm make optimizers and criterions: none of them ends a step."""

import timm
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from timm.loss import LabelSmoothingCrossEntropy
from timm.optim import create_optimizer, create_optimizer_v2
from timm.utils import ModelEmaV2, random_seed

device = torch_xla.device()


def loader_of(samples):
    return torch.utils.data.DataLoader(samples, batch_size=8, drop_last=True)


def nothing_ends_a_step(samples):
    model = timm.create_model("resnet50").to(device)
    optimizer = create_optimizer_v2(model, opt="lamb", lr=0.1)
    criterion = LabelSmoothingCrossEntropy()
    average = ModelEmaV2(model)
    for images, labels in loader_of(samples):  # expect: XLA202
        criterion(model(images.to(device)), labels.to(device)).backward()
        optimizer.step()
        average.update(model)


def moved_too_late(samples, args):
    model = timm.create_model("resnet50")
    optimizer = create_optimizer(args, model)
    groups = timm.optim.create_optimizer_v2(model.parameters(), opt="sgd")
    model.to(device)  # expect: XLA701
    for images, labels in loader_of(samples):
        with torch_xla.step():
            LabelSmoothingCrossEntropy()(model(images.to(device)), labels.to(device)).backward()
            optimizer.step()
            groups.step()


def moved_in_time(samples, args):
    model = timm.create_model("resnet50").to(device)
    optimizer = create_optimizer(args, model)
    for images, labels in loader_of(samples):
        with torch_xla.step():
            loss = LabelSmoothingCrossEntropy()(model(images.to(device)), labels.to(device))
            loss.backward()
            optimizer.step()
        print(loss.item())


def at_hand(samples, make):
    model = timm.create_model("resnet50").to(device)
    optimizer = create_optimizer_v2(make(model), lr=0.1)
    for images, labels in loader_of(samples):  # quiet: nobody knows what `make` returns
        LabelSmoothingCrossEntropy()(model(images.to(device)), labels.to(device)).backward()
        optimizer.step()


def fit(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.ones(8, 3, 32, 32, device=device)).sum().backward()
            xm.optimizer_step(optimizer)


def with_weights_of_its_own():
    torch.manual_seed(7 + xr.global_ordinal())  # expect: XLA517
    fit(timm.create_model("resnet50", pretrained=False).to(device))


def with_weights_of_its_own_by_timm():
    random_seed(7, xr.global_ordinal())  # expect: XLA517
    fit(timm.create_model("resnet50", pretrained=False).to(device))


def with_weights_of_all_by_timm():
    random_seed(7, rank=0)
    fit(timm.create_model("resnet50", pretrained=False).to(device))


def with_weights_of_a_file(pretrained):
    torch.manual_seed(7 + xr.global_ordinal())  # quiet: all replicas load the same weights, or may do so
    fit(timm.create_model("resnet50", pretrained=pretrained).to(device))


def dropping(rate):
    torch.manual_seed(7)  # expect: XLA707
    fit(timm.create_model("resnet50", drop_path_rate=0.1).to(device))


def dropping_nothing(rate):
    torch.manual_seed(7)  # quiet: nobody knows whether anything is dropped
    fit(timm.create_model("resnet50", drop_rate=0.0, drop_path_rate=rate).to(device))
