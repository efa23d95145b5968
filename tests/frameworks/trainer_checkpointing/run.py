"""A Trainer whose arguments ask for gradient checkpointing, and one whose do not; some never train on a TPU."""

import torch_xla
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
from trl import SFTConfig, SFTTrainer


def main(index, name="gpt2", dataset=None):
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


def in_half(name, dataset):
    args = TrainingArguments("out", gradient_checkpointing=True, fp16=True)
    trainer = Trainer(AutoModelForCausalLM.from_pretrained(name), args, train_dataset=dataset)
    trainer.train()  # expect: XLA708 likely


def in_few_bits(name, dataset):
    config = BitsAndBytesConfig(load_in_4bit=True)
    model = AutoModelForCausalLM.from_pretrained(name, quantization_config=config, device_map="auto")
    args = TrainingArguments("out", gradient_checkpointing=True)
    Trainer(model, args, train_dataset=dataset).train()  # expect: XLA708 likely


def as_they_say(name, dataset, few, half):
    model = AutoModelForCausalLM.from_pretrained(name, load_in_8bit=few)
    args = TrainingArguments("out", gradient_checkpointing=True, fp16=half)
    Trainer(model, args, train_dataset=dataset).train()  # expect: XLA708


def generated(name, dataset, ids):
    model = AutoModelForCausalLM.from_pretrained(name, load_in_8bit=True).to(torch_xla.device())
    model.generate(ids.to(torch_xla.device()), max_new_tokens=9)  # expect: XLA202 likely


def by_trl(name, dataset, ids):
    SFTTrainer(name, SFTConfig("out", fp16=True), train_dataset=dataset)
    model = AutoModelForCausalLM.from_pretrained(name).to(torch_xla.device())
    model.generate(ids.to(torch_xla.device()), max_new_tokens=9)  # expect: XLA202 likely


if __name__ == "__main__":
    torch_xla.launch(main)
