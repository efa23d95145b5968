"""Callbacks around the optimizer's step of a Trainer."""

import torch
import torch_xla
from transformers import TrainerCallback


class Norms(TrainerCallback):
    def on_pre_optimizer_step(self, args, state, control, model=None, **kwargs):
        norm = torch.stack([parameter.grad.norm() for parameter in model.parameters()]).norm()
        if norm > 10:  # expect: XLA103 likely
            control.should_training_stop = True


class Counts(TrainerCallback):
    def __init__(self):
        self.steps = 0

    def on_pre_optimizer_step(self, args, state, control, **kwargs):
        self.steps += 1

    def on_optimizer_step(self, args, state, control, model=None, **kwargs):
        if self.steps > 10:
            control.should_training_stop = True


class Keeps(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, model=None, **kwargs):
        if metrics["eval_loss"] < 1.0:
            torch.save(model.state_dict(), "best.pt")  # expect: XLA601 likely
