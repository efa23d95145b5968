# ruff: noqa
# mypy: ignore-errors
"""A model that gets adapters by peft is the model it was, wherever that is."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

device = torch_xla.device()
settings = LoraConfig(r=16, lora_alpha=32)


def never_cut(dataset):
    model = AutoModelForCausalLM.from_pretrained("tiny").to(device)
    model = get_peft_model(model, settings)
    model.print_trainable_parameters()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in DataLoader(dataset, batch_size=4, drop_last=True):  # expect: XLA202
        loss = model(input_ids=batch["input_ids"].to(device), labels=batch["input_ids"].to(device)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


def cut(dataset):
    model = prepare_model_for_kbit_training(AutoModelForCausalLM.from_pretrained("tiny"))
    model = get_peft_model(model, settings).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in DataLoader(dataset, batch_size=4, drop_last=True):
        with torch_xla.step():
            loss = model(input_ids=batch["input_ids"].to(device), labels=batch["input_ids"].to(device)).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(loss.item())


def of_the_host(dataset):
    model = get_peft_model(AutoModelForCausalLM.from_pretrained("tiny"), settings)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in DataLoader(dataset, batch_size=4, drop_last=True):
        loss = model(input_ids=batch["input_ids"], labels=batch["input_ids"]).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


def saved(dataset):
    base = AutoModelForCausalLM.from_pretrained("tiny")
    model = PeftModel.from_pretrained(base, "adapter").to(device)
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601


def published():
    model = get_peft_model(AutoModelForCausalLM.from_pretrained("tiny"), settings)
    model.to(device)
    model.save_pretrained("adapter")  # expect: XLA601 likely


def published_from_the_host():
    model = get_peft_model(AutoModelForCausalLM.from_pretrained("tiny"), settings)
    model.to(device)
    model.to("cpu").save_pretrained("adapter")


def published_where_it_was_made():
    get_peft_model(AutoModelForCausalLM.from_pretrained("tiny"), settings).save_pretrained("adapter")
