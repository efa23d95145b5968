"""Models that are told to save memory by the checkpointing of PyTorch, and such as are not."""

import torch
import torch_xla
from diffusers import UNet2DConditionModel
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, LlamaForCausalLM

device = torch_xla.device()


def made(name):
    model = AutoModelForCausalLM.from_pretrained(name)
    model.gradient_checkpointing_enable()
    model.train()
    return model


def of_another_function(name, data):
    model = made(name).to(device)
    for batch in data:
        with torch_xla.step():
            model(**batch).loss.backward()  # expect: XLA708


def with_adapters(name, data):
    model = LlamaForCausalLM.from_pretrained(name)
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model = get_peft_model(model, LoraConfig(r=8)).to(device)
    model.train()
    for batch in data:
        with torch_xla.step():
            model(**batch).loss.backward()  # expect: XLA708


def of_diffusers(folder, data):
    unet = UNet2DConditionModel.from_pretrained(folder)
    unet.enable_gradient_checkpointing()
    unet.to(device)
    unet.train()
    for noisy, times, text in data:
        with torch_xla.step():
            unet(noisy, times, text).sample.square().mean().backward()  # expect: XLA708


def without(name, data):
    model = LlamaForCausalLM.from_pretrained(name).to(device)
    model.train()
    for batch in data:
        with torch_xla.step():
            model(**batch).loss.backward()


def turned_off_again(name, data):
    model = made(name).to(device)
    model.gradient_checkpointing_disable()
    for batch in data:
        with torch_xla.step():
            model(**batch).loss.backward()


def in_evaluation(name, data):
    model = made(name).to(device)
    model.eval()
    for batch in data:
        with torch_xla.step():
            loss = model(**batch).loss
        loss.item()


def on_the_host(name, data):
    model = made(name)
    for batch in data:
        model(**batch).loss.backward()
