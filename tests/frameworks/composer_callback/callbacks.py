"""Callbacks of composer: its trainer marks the step after backward, and calls them before and after."""

import torch
import torch_xla
from composer import Callback, Logger, State

DEVICE = torch_xla.device()


class StopsAtNaN(Callback):
    def after_loss(self, state: State, logger: Logger) -> None:
        if torch.isnan(state.loss).any():  # expect: XLA103 likely
            raise RuntimeError("the loss is not a number")


class LogsTheLoss(Callback):
    def after_loss(self, state, logger):
        logger.log_metrics({"loss": state.loss.item()})  # expect: XLA102 likely

    def after_backward(self, state, logger):
        logger.log_metrics({"loss": state.loss.item()})  # quiet: the step has run


class LogsOutputs(Callback):
    def after_forward(self, state, logger):
        print(state.outputs.mean().item())  # expect: XLA102 likely

    def batch_end(self, state, logger):
        print(state.outputs.mean().item())  # quiet: the step has run


class LooksAtOutputs(Callback):
    def before_loss(self, state, logger):
        print(state.outputs.mean().item())  # expect: XLA102 likely

    def eval_batch_end(self, state, logger):
        self.high = state.outputs[state.outputs > 0]  # expect: XLA401 likely

    def eval_end(self, state, logger):
        print("evaluated")
