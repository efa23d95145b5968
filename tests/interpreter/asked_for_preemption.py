# ruff: noqa
# mypy: ignore-errors
"""Which loops ask a checkpoint manager for a preemption."""

import torch
import torch_xla
from torch_xla.experimental.distributed_checkpoint import CheckpointManager

manager = CheckpointManager("checkpoints", 10)


def asked_in_one_arm(state, flag):
    for step in range(100):
        if flag:
            manager.should_save(step)
        if step % 10 == 0:
            manager.save(step, state)


def asked_in_the_other_arm(state, flag):
    for step in range(100):
        if flag:
            print(step)
        else:
            manager.should_save(step)
        if step % 10 == 0:
            manager.save(step, state)


def asked_in_another_loop(state):
    for step in range(100):
        manager.should_save(step)
    for step in range(100):
        if step % 10 == 0:
            manager.save(step, state)  # expect: XLA608
