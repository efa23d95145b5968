"""A Trainer whose arguments ask for gradient checkpointing, and one whose do not."""

import torch_xla
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def main(name, dataset):
    args = TrainingArguments("out", gradient_checkpointing=True, bf16=True)
    trainer = Trainer(AutoModelForCausalLM.from_pretrained(name), args, train_dataset=dataset)
    trainer.train()  # expect: XLA708


def without(name, dataset):
    args = TrainingArguments("out", bf16=True)
    trainer = Trainer(AutoModelForCausalLM.from_pretrained(name), args, train_dataset=dataset)
    trainer.train()


def told_elsewhere(name, dataset, args):
    trainer = Trainer(AutoModelForCausalLM.from_pretrained(name), args, train_dataset=dataset)
    trainer.train()


def as_somebody_says(name, dataset, checkpoints):
    args = TrainingArguments("out", gradient_checkpointing=checkpoints)
    trainer = Trainer(AutoModelForCausalLM.from_pretrained(name), args, train_dataset=dataset)
    trainer.train()  # quiet: nothing says that it is on


def as_settings_say(name, dataset, settings):
    args = TrainingArguments("out", **settings)
    trainer = Trainer(AutoModelForCausalLM.from_pretrained(name), args, train_dataset=dataset)
    trainer.train()  # quiet: nor here


if __name__ == "__main__":
    torch_xla.launch(main)
