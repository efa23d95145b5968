"""An algorithm of composer changes each batch; callbacks look at gradients, and meet the other replicas."""

import torch
import torch_xla
from composer.core import Algorithm, Callback, Event
from composer.utils import dist

DEVICE = torch_xla.device()


class Hardest(Algorithm):
    def match(self, event, state):
        return event == Event.AFTER_DATALOADER

    def apply(self, event, state, logger):
        inputs, targets = state.batch
        hard = targets > 0.5
        state.batch = inputs[hard], targets[hard]  # expect: XLA401 likely


class First(Algorithm):
    def match(self, event, state):
        return event == Event.AFTER_DATALOADER

    def apply(self, event, state, logger):
        inputs, targets = state.batch
        chosen = targets.topk(4).indices
        state.batch = inputs.index_select(0, chosen), targets.index_select(0, chosen)  # quiet: four each time


class Norms(Callback):
    def after_train_batch(self, state, logger):
        for name, parameter in state.model.named_parameters():
            logger.log_metrics({name: parameter.grad.norm().item()})  # expect: XLA104 likely


class Sums(Callback):
    def epoch_end(self, state, logger):
        total = torch.ones(1, device=DEVICE)
        dist.all_reduce(total)  # quiet: all replicas sum
        if dist.get_global_rank() == 0:
            dist.all_reduce(total)  # expect: XLA502
            print("epoch", state.timestamp)

    def fit_end(self, state, logger):
        if dist.get_global_rank() == 0:
            print("trained")
