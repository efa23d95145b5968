# ruff: noqa
# mypy: ignore-errors
"""What torchvision computes of boxes and of losses is a tensor of the device if they are."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torchvision.ops import box_iou, sigmoid_focal_loss

device = torch_xla.device()
model = torch.nn.Conv2d(3, 4, 1).to(device)
anchors = torch.rand(10, 4).to(device)


def matched(boxes):
    best, _ = box_iou(anchors, boxes).max(dim=1)
    return torch.nonzero(best >= 0.5)  # expect: XLA401


def of_a_batch(batches):
    for images, targets in pl.MpDeviceLoader(batches, device):
        picked = matched(targets["boxes"])
        model(images).sum().backward()


def a_loss(batches):
    for images, targets in pl.MpDeviceLoader(batches, device):
        loss = sigmoid_focal_loss(model(images), targets, reduction="mean")
        print(float(loss))  # expect: XLA102
        loss.backward()


def of_the_host(boxes, others):
    if box_iou(boxes, others).max() > 0.5:
        print("they overlap")
