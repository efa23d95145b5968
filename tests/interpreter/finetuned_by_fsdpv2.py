# ruff: noqa
# mypy: ignore-errors
"""A language model is fine-tuned over all chips of a host by FSDPv2, as moved from a GPU."""

import argparse
import os
import time

import numpy as np
import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr
from torch.utils.data import DataLoader, Dataset
from torch_xla.distributed.parallel_loader import MpDeviceLoader
from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel as FSDPv2

VOCAB = 64


class Lines(Dataset):
    def __init__(self, count=50, length=16):
        generator = torch.Generator().manual_seed(0)
        self.tokens = torch.randint(0, VOCAB, (count, length + 1), generator=generator)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return self.tokens[index, :-1], self.tokens[index, 1:]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        return x + self.dropout(self.down(torch.nn.functional.gelu(self.up(self.norm(x)))))


class LanguageModel(nn.Module):
    def __init__(self, width=32, depth=2):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, width)
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, VOCAB, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens, labels=None):
        x = self.embed(tokens)
        for block in self.blocks:
            x = torch.utils.checkpoint.checkpoint(block, x)  # expect: XLA708
        logits = self.head(x)
        if labels is None:
            return {"logits": logits}
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        return {"loss": loss, "logits": logits}


def evaluate(model, loader):
    model.eval()
    losses, hits, seen = [], 0, 0
    for tokens, labels in loader:
        out = model(tokens, labels)
        losses.append(out["loss"])  # expect: XLA710
        hits += (out["logits"].argmax(-1) == labels).sum().item()  # expect: XLA102
        seen += labels.numel()
    return torch.stack(losses).mean().item(), hits / seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--out", default="/tmp/finetuned.pt")
    args = parser.parse_args()

    torch.manual_seed(42)  # expect: XLA707
    device = torch_xla.device()  # expect: XLA805
    xr.use_spmd()
    count = xr.global_runtime_device_count()
    mesh = xs.Mesh(np.arange(count), (count, 1), ("data", "model"))

    model = LanguageModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model = model.to(device)  # expect: XLA701, XLA702
    model = FSDPv2(model, mesh=mesh)  # expect: XLA812

    data = Lines()
    loader = MpDeviceLoader(
        DataLoader(data, batch_size=args.batch, shuffle=True),  # expect: XLA404 likely
        device,
        input_sharding=xs.ShardingSpec(mesh, ["data", None]),
    )
    scaler = torch.amp.GradScaler()
    best = float("inf")
    for epoch in range(args.epochs):
        model.train()
        began = time.time()
        for step, (tokens, labels) in enumerate(loader):
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.bfloat16):  # expect: XLA705
                loss = model(tokens, labels)["loss"]
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)  # expect: XLA703
            scaler.update()
            xm.mark_step()  # expect: XLA002, XLA201
            if step % 2 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}")
        print("seconds per epoch", time.time() - began)
        loss, accuracy = evaluate(model, loader)
        loss = xm.mesh_reduce("loss", loss, np.mean)
        print("evaluation", loss, accuracy)
        if loss < best:
            best = loss
            xm.save(model.state_dict(), args.out)


if __name__ == "__main__":
    main()
