"""A script for `xla_spawn.py`, which runs a function of this name on each device: nothing else says of replicas."""

import torch_xla.core.xla_model as xm
from transformers import AutoModelForCausalLM, Trainer, TrainerCallback, TrainingArguments


class Waits(TrainerCallback):
    def on_epoch_end(self, args, state, control, **kwargs):
        if xm.is_master_ordinal():
            xm.rendezvous("epoch")  # expect: XLA502


def main():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    trainer = Trainer(model=model, args=TrainingArguments("out"), callbacks=[Waits()])
    trainer.train()
    trainer.save_model("last")  # quiet: all replicas save
    if trainer.is_world_process_zero():
        trainer.save_model("best")  # expect: XLA502


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
