"""trl on XLA devices: its trainers are those of transformers, with losses of their own."""

from transformers import Trainer

ON_XLA = {"tpu_num_cores": ()}


class _TrainerOfTrl(Trainer):
    pass


class SFTTrainer(_TrainerOfTrl):
    pass


class DPOTrainer(_TrainerOfTrl):
    pass


class ORPOTrainer(_TrainerOfTrl):
    pass


class CPOTrainer(_TrainerOfTrl):
    pass


class KTOTrainer(_TrainerOfTrl):
    pass


class RewardTrainer(_TrainerOfTrl):
    pass


def harness(trainer: _TrainerOfTrl):
    trainer.train()
