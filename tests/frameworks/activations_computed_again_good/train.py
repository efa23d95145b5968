"""Where PyTorch has been given a module for XLA devices, its checkpointing knows of them."""

import torch
import torch_xla
from transformers import AutoModelForCausalLM

torch._register_device_module("xla", torch_xla)


def main():
    model = AutoModelForCausalLM.from_pretrained("llama").to(torch_xla.device())
    model.gradient_checkpointing_enable()
    model.train()


main()
