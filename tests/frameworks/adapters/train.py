"""Adapters of peft: they may drop, which the host's seed does not steer, and their state is the model's."""

import torch
import torch_xla
from peft import LoraConfig, get_peft_model
from peft.utils import get_peft_model_state_dict
from safetensors.torch import save_file
from transformers import LlamaForCausalLM

device = torch_xla.device()


def that_drop(name, batches):
    torch.manual_seed(1)  # expect: XLA707
    model = get_peft_model(LlamaForCausalLM.from_pretrained(name), LoraConfig(r=8, lora_dropout=0.05))
    model.to(device)
    model.train()
    for batch in batches:
        with torch_xla.step():
            model(**batch).loss.backward()


def that_do_not(name, batches):
    torch.manual_seed(1)
    model = get_peft_model(LlamaForCausalLM.from_pretrained(name), LoraConfig(r=8))
    model.to(device)
    model.train()
    for batch in batches:
        with torch_xla.step():
            model(**batch).loss.backward()


def kept(name):
    model = get_peft_model(LlamaForCausalLM.from_pretrained(name), LoraConfig(r=8)).to(device)
    save_file(get_peft_model_state_dict(model), "adapters.safetensors")  # expect: XLA601
