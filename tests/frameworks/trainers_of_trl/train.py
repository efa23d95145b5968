"""Trainers of trl are those of transformers, with losses of their own."""

import torch
from trl import DPOTrainer, SFTTrainer


class Weighted(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        self.seen += outputs.loss.item()  # expect: XLA102 likely
        return (outputs.loss, outputs) if return_outputs else outputs.loss


class Checked(DPOTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        loss = model(**inputs).loss
        if torch.isnan(loss):  # expect: XLA103 likely
            raise ValueError("no number")
        return loss


class Good(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        self.seen = outputs.loss.detach()  # quiet: nobody reads it in the step
        return (outputs.loss, outputs) if return_outputs else outputs.loss
