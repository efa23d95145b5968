"""The models of optimum-neuron use the checkpointing of torch_xla by themselves."""

import torch_xla
from optimum.neuron.models.training import LlamaForCausalLM


def train(name, data):
    model = LlamaForCausalLM.from_pretrained(name).to(torch_xla.device())
    model.gradient_checkpointing_enable()
    model.train()
    for batch in data:
        with torch_xla.step():
            model(**batch).loss.backward()
