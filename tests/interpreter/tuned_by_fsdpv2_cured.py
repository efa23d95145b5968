# ruff: noqa
# mypy: ignore-errors
"""After its cures: a small transformer is tuned on all chips of a host: SPMD, FSDPv2, bf16 and a distributed checkpoint."""

import tempfile
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr
from torch.utils.data import DataLoader, TensorDataset
from torch_xla.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch_xla.distributed.parallel_loader import MpDeviceLoader
from torch_xla.experimental.distributed_checkpoint import CheckpointManager
from torch_xla.experimental.spmd_fully_sharded_data_parallel import (
    SpmdFullyShardedDataParallel as FSDPv2,
)

VOCAB, WIDTH, LENGTH = 64, 32, 16


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.mix = nn.Linear(WIDTH, WIDTH)
        self.drop = nn.Dropout(0.1)

    def forward(self, hidden):
        return hidden + self.drop(F.gelu(self.mix(self.norm(hidden))))


class Tuned(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(2))
        self.head = nn.Linear(WIDTH, VOCAB)

    def forward(self, tokens):
        hidden = self.embed(tokens)
        for layer in self.layers:
            hidden = layer(hidden)
        return {"logits": self.head(hidden)}


def make_batches():
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(0, VOCAB, (52, LENGTH + 1), generator=generator)
    return DataLoader(TensorDataset(tokens), batch_size=8, shuffle=True, drop_last=True)


def make_mesh():
    devices = xr.global_runtime_device_count()
    return xs.Mesh(np.arange(devices), (devices, 1), ("fsdp", "model"))


def shard_logits(output, mesh):
    logits = output["logits"] if isinstance(output, dict) else output
    xs.mark_sharding(logits, mesh, ("fsdp", None, None))


def wrap(model, mesh):
    xs.set_global_mesh(mesh)
    policy = lambda *args, **kwargs: transformer_auto_wrap_policy(*args, transformer_layer_cls={Layer}, **kwargs)
    return FSDPv2(model, auto_wrap_policy=policy, shard_output=shard_logits)


def main():
    torch.manual_seed(0)
    xr.use_spmd()
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    mesh = make_mesh()

    model = Tuned()
    model = wrap(model.to(device), mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    batches = MpDeviceLoader(
        make_batches(), device, input_sharding=xs.ShardingSpec(mesh, ("fsdp", None))
    )

    folder = tempfile.mkdtemp()
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=0, world_size=1)
    manager = CheckpointManager(folder, save_interval=4)
    losses, step, begun = [], 0, time.time()
    for epoch in range(1):
        for (tokens,) in batches:
            with torch_xla.step():
                optimizer.zero_grad()
                with torch.autocast("xla", dtype=torch.bfloat16):
                    logits = model(tokens[:, :-1])["logits"]
                    loss = F.cross_entropy(logits.view(-1, VOCAB), tokens[:, 1:].reshape(-1))
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                xm.optimizer_step(optimizer)
            losses.append(loss)
            step += 1
            manager.save(step, {"model": model.state_dict(), "optimizer": optimizer.state_dict()})
            print(f"epoch {epoch} step {step} loss {loss.item():.4f} {time.time() - begun:.1f}s")
    return torch.stack(losses).tolist()


if __name__ == "__main__":
    main()
