"""trl on XLA devices: its trainers are those of transformers, with losses of their own."""

from transformers import Trainer

ON_XLA = {"tpu_num_cores": ()}


class _TrainerOfTrl(Trainer):
    pass


class SFTTrainer(_TrainerOfTrl):
    pass


class _TrainerByPreference(_TrainerOfTrl):
    """It asks one method for the loss of a batch, and that asks others."""

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        loss, metrics = self.get_batch_loss_metrics(model, inputs, "train")
        return (loss, metrics) if return_outputs else loss

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        loss, metrics = self.get_batch_loss_metrics(model, inputs, "eval")
        return loss.detach(), loss, loss

    def get_batch_loss_metrics(self, model, batch, train_eval="train"):
        return self._loss(*self.concatenated_forward(model, batch)).mean(), {}

    def concatenated_forward(self, model, batch):
        return _logarithms(model, batch)

    def _loss(self, chosen, rejected, *more):
        return rejected - chosen


def _logarithms(model, batch):
    """Of the probabilities of the answer that was chosen, and of the other one."""
    logits = model(**batch).logits
    return logits.mean(-1), logits.mean(-1)


class DPOTrainer(_TrainerByPreference):
    def _loss(self, chosen, rejected, *more):
        losses, _, _ = self.dpo_loss(chosen, rejected, chosen.detach(), rejected.detach())
        return losses

    def dpo_loss(self, chosen, rejected, reference_chosen, reference_rejected, *more):
        return rejected - chosen, chosen, rejected


class ORPOTrainer(_TrainerByPreference):
    def _loss(self, chosen, rejected, *more):
        losses, *_ = self.odds_ratio_loss(chosen, rejected)
        return losses

    def odds_ratio_loss(self, chosen, rejected):
        return rejected - chosen, chosen, rejected, chosen, rejected


class CPOTrainer(_TrainerByPreference):
    def _loss(self, chosen, rejected, *more):
        losses, _, _ = self.cpo_loss(chosen, rejected)
        return losses

    def cpo_loss(self, chosen, rejected):
        return rejected - chosen, chosen, rejected


class KTOTrainer(_TrainerOfTrl):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        loss, metrics = self.get_batch_loss_metrics(model, inputs)
        return (loss, metrics) if return_outputs else loss

    def get_batch_loss_metrics(self, model, batch):
        return model(**batch).logits.mean(), {}


class RewardTrainer(_TrainerOfTrl):
    pass


def harness(trainer: _TrainerOfTrl):
    trainer.train()
