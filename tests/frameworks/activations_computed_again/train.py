"""Models on the device that are to compute their activations again, by PyTorch's own checkpointing: it raises there."""

import torch_xla
from diffusers import UNet2DModel
from transformers import AutoModelForCausalLM, PreTrainedModel

device = torch_xla.device()


class Scorer(PreTrainedModel):
    pass


def by_name():
    model = AutoModelForCausalLM.from_pretrained("llama").to(device)
    model.gradient_checkpointing_enable()  # expect: XLA708
    model.train()
    return model


def dropping():
    model = AutoModelForCausalLM.from_pretrained("gpt2").to(device)
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})  # expect: XLA708


def of_the_project():
    model = Scorer().to(device)
    model.gradient_checkpointing_enable()  # expect: XLA708


def of_diffusers():
    unet = UNet2DModel.from_pretrained("unet").to(device)
    unet.enable_gradient_checkpointing()  # expect: XLA708


def on_the_host():
    model = AutoModelForCausalLM.from_pretrained("llama")
    model.gradient_checkpointing_enable()
    model.train()


by_name()
dropping()
of_the_project()
of_diffusers()
on_the_host()
