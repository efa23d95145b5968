"""Saving a run."""

import torch


def save_checkpoint(path, model, optimizer, epoch, step):
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "epoch": epoch,
        "step": step,
    }
    _write(path, state)


def _write(path, state):
    torch.save(state, path)
