"""Trainers of trl are those of transformers, with losses of their own."""

import torch
from trl import CPOTrainer, DPOTrainer, KTOTrainer, ORPOTrainer, SFTTrainer


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


class Bounded(DPOTrainer):
    def dpo_loss(self, chosen, rejected, reference_chosen, reference_rejected, *args):
        margin = (chosen - reference_chosen) - (rejected - reference_rejected)
        if margin.max() > 20:  # expect: XLA103 likely
            margin = margin.clamp(max=20)
        return -margin, chosen.detach(), rejected.detach()


class Logged(DPOTrainer):
    def get_batch_loss_metrics(self, model, batch, train_eval="train"):
        loss, metrics = super().get_batch_loss_metrics(model, batch, train_eval)
        metrics["loss"] = loss.item()  # expect: XLA102 likely
        return loss, metrics


class OfOdds(ORPOTrainer):
    def odds_ratio_loss(self, chosen, rejected):
        losses = rejected - chosen
        print(losses.mean().item())  # expect: XLA102 likely
        return losses, chosen, rejected, chosen.mean(), rejected.mean()


class Contrastive(CPOTrainer):
    def cpo_loss(self, chosen, rejected):
        losses = rejected - chosen
        print(losses.mean().item())  # expect: XLA102 likely
        return losses, chosen, rejected


class Counted(KTOTrainer):
    def get_batch_loss_metrics(self, model, batch):
        loss, metrics = super().get_batch_loss_metrics(model, batch)
        metrics["loss"] = loss.item()  # expect: XLA102 likely
        return loss, metrics


class OfItsOwnForward(DPOTrainer):
    def concatenated_forward(self, model, batch):
        return model(**batch).logits.mean(-1), model(**batch).logits.mean(-1)

    def dpo_loss(self, chosen, rejected, reference_chosen, reference_rejected, *args):
        return rejected - chosen, chosen.detach(), rejected.detach()  # quiet: nobody reads it in the step
