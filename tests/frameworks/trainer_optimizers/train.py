"""Optimizers that a Trainer is given: it moves the model when it is made, and refuses parameters from before."""

import torch
import torch_xla
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments, get_scheduler


def from_before(dataset):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased")
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    scheduler = get_scheduler("linear", optimizer, 0, 100)
    args = TrainingArguments("out", dataloader_drop_last=True)
    trainer = Trainer(model, args, train_dataset=dataset, optimizers=(optimizer, scheduler))
    trainer.train()  # expect: XLA701


def of_the_device(dataset):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased").to(torch_xla.device())
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    args = TrainingArguments("out", dataloader_drop_last=True)
    trainer = Trainer(model, args, train_dataset=dataset, optimizers=(optimizer, None))
    trainer.train()  # quiet: it is there already


def of_its_own(dataset):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased")
    args = TrainingArguments("out", dataloader_drop_last=True)
    Trainer(model, args, train_dataset=dataset, optimizers=(None, None)).train()  # quiet: it makes one later
