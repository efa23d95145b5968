import patched  # noqa: F401 - before transformers
import torch_xla
from transformers import AutoModelForCausalLM


def train(name, data):
    model = AutoModelForCausalLM.from_pretrained(name).to(torch_xla.device())
    model.gradient_checkpointing_enable()
    model.train()
    for batch in data:
        with torch_xla.step():
            model(**batch).loss.backward()
