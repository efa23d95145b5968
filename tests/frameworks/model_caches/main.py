"""Models of transformers are given the cache that they have returned, or one of a fixed length."""

import torch
import torch_xla
from transformers import AutoModelForCausalLM, StaticCache

device = torch_xla.device()


def made():
    return AutoModelForCausalLM.from_pretrained("model").to(device).eval()


@torch.no_grad()
def from_the_first_token(ids, limit=16):
    model, past = made(), None
    for _ in range(limit):
        output = model(input_ids=ids, past_key_values=past, use_cache=True)  # expect: XLA403
        past = output.past_key_values
        ids = output.logits[:, -1:].argmax(dim=-1)
        torch_xla.sync()  # expect: XLA201


@torch.no_grad()
def below_a_prompt(ids, limit=16):
    model = made()
    output = model(ids)
    for _ in range(limit):
        with torch_xla.step():
            output = model(ids, past_key_values=output.past_key_values)  # expect: XLA403


@torch.no_grad()
def of_a_fixed_length(ids, limit=16):
    model = made()
    past = StaticCache(model.config, 1, 64, device=device)
    for step in range(limit):
        with torch_xla.step():
            place = torch.tensor([step], device=device)
            output = model(ids, past_key_values=past, cache_position=place)
            past = output.past_key_values


@torch.no_grad()
def of_a_fixed_length_that_the_model_makes(ids, limit=16):
    model = made()
    past = model(ids, cache_position=torch.arange(4, device=device)).past_key_values
    for step in range(limit):
        with torch_xla.step():
            place = torch.tensor([step], device=device)
            output = model(ids, past_key_values=past, cache_position=place)
            past = output.past_key_values


@torch.no_grad()
def anew_for_each_prompt(prompts):
    model = made()
    for ids in prompts:
        with torch_xla.step():
            output = model(ids.to(device))
            output = model(ids.to(device), past_key_values=output.past_key_values)
