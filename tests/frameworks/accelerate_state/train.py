"""Checkpoints of accelerate that are numbered: all replicas must save, because they meet in `save_state`."""

import torch
import torch_xla
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration


def train(dataset):
    config = ProjectConfiguration(project_dir="out", automatic_checkpoint_naming=True)
    accelerator = Accelerator(mixed_precision="bf16", project_config=config)
    model = torch.nn.Linear(4, 4)
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.AdamW(model.parameters()), torch.utils.data.DataLoader(dataset)
    )
    for batch in loader:
        loss = model(batch).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.save_state()  # quiet: all replicas save
    if accelerator.is_main_process:
        accelerator.save_state()  # expect: XLA502
    torch_xla.sync()


def train_to_one_folder(dataset):
    accelerator = Accelerator()
    model = torch.nn.Linear(4, 4)
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.AdamW(model.parameters()), torch.utils.data.DataLoader(dataset)
    )
    for batch in loader:
        loss = model(batch).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if accelerator.is_main_process:
            accelerator.save_state("out")  # quiet: the others run the same with the next batch
    if accelerator.is_main_process:
        accelerator.save_state("out")  # quiet: nobody waits, and the step has run on all replicas
    torch_xla.sync()
