"""`generate` of transformers asks after each token whether it is the last, and cuts nothing between two of them."""

import torch
import torch_xla
from transformers import AutoModelForCausalLM, AutoTokenizer

device = torch_xla.device()
tokenizer = AutoTokenizer.from_pretrained("model")


def made():
    return AutoModelForCausalLM.from_pretrained("model").to(device).eval()


def one_text(prompt):
    ids = tokenizer(prompt, return_tensors="pt").input_ids.to(device)
    return tokenizer.decode(made().generate(ids, max_new_tokens=64)[0])  # expect: XLA202


def by_names(prompt):
    inputs = tokenizer(prompt, return_tensors="pt").to(device)
    made().generate(**inputs, max_new_tokens=64)  # expect: XLA202


def below_a_cut_each(prompts):
    model = made()
    for prompt in prompts:
        inputs = tokenizer(prompt, return_tensors="pt").to(device)  # expect: XLA405 likely
        model.generate(input_ids=inputs["input_ids"], num_beams=2)  # expect: XLA202
        torch_xla.sync()  # expect: XLA201


def cut_by_what_is_called_for_each(prompt, criteria):
    inputs = tokenizer(prompt, return_tensors="pt").to(device)
    made().generate(**inputs, stopping_criteria=criteria)


def of_a_forward_that_runs_by_itself(prompt):
    inputs = tokenizer(prompt, return_tensors="pt").to(device)
    model = made()
    model.forward = torch.compile(model.forward, backend="openxla")
    model.generate(**inputs, cache_implementation="static")


def on_the_host(prompt):
    inputs = tokenizer(prompt, return_tensors="pt")
    AutoModelForCausalLM.from_pretrained("model").generate(**inputs)


def of_a_model_that_is_elsewhere(prompt):
    ids = tokenizer(prompt, return_tensors="pt").input_ids.to(device)
    AutoModelForCausalLM.from_pretrained("model", device_map="auto").generate(ids)


def cut_below_each_token(prompt):
    ids = tokenizer(prompt, return_tensors="pt").input_ids.to(device)
    made().generate(ids, logits_processor=[cuts])


def of_what_nobody_knows(inputs):
    made().generate(**inputs)
