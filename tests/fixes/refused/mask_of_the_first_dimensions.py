# select: XLA401
# refused: the mask may have fewer dimensions than `output`
import torch
import torch_xla


def decode(model, queries, lengths):
    mask = torch.arange(queries.shape[0], device=lengths.device)[:, None] < lengths
    output = model(queries)
    output[~mask] = 0
    return output


def main(queries, lengths):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    for each in queries:
        decode(model, each.to(device), lengths.to(device))
        torch_xla.sync()
