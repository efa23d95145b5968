# select: XLA102, XLA202
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

MODEL = None


def generate(tokenizer, ids, rounds):
    for _ in range(rounds):
        print(tokenizer.decode(ids[0]))
        with torch_xla.step():
            logits, _ = MODEL(ids)
            token = logits[:, -1, :].argmax(dim=-1, keepdim=True)
            ids = torch.cat([ids[:, 1:], token], dim=-1)
        if token.item() == 0:
            break
    return ids


def evaluate(loader):
    total = 0.0
    with torch.no_grad():
        for step, (x, y) in enumerate(loader):
            with torch_xla.step():
                _, loss = MODEL(x, y)
                loss = loss.mean()
            total = (total * step + loss.item()) / (step + 1)
    return total


def main(model, tokenizer, ids, batches):
    global MODEL
    device = torch_xla.device()
    MODEL = model.to(device)
    generate(tokenizer, ids.to(device), 8)
    return evaluate(pl.MpDeviceLoader(batches, device))
