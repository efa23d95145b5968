# select: XLA401
import torch
import torch_xla


def labels_of(ids, pad, draw):
    labels = ids.clone()
    is_pad = ids == pad
    labels.masked_fill_(is_pad, -100)
    labels.masked_fill_(is_pad | draw, -100)
    labels.masked_fill_(ids.eq(pad).logical_not() & (draw > 0.5), 1)
    return labels


def cleaned(scores):
    scores.masked_fill_(torch.isnan(scores), 0.0)
    scores.masked_fill_(~(scores > 0), 0.0)
    return scores


def main(batches):
    device = torch_xla.device()
    draw = torch.rand(8, 16, device=device) < 0.15
    for ids in batches:
        labels = labels_of(ids.to(device), 0, draw)
        cleaned(labels.float())
        torch_xla.sync()
