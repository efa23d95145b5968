# ruff: noqa
# mypy: ignore-errors
"""What a tokenizer or a processor is told to make are tensors on the host, by names, all of which move at once."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def by_name(tokenizer, texts):
    inputs = tokenizer(texts, return_tensors="pt", padding="max_length").to(device)
    for text in texts:
        if inputs["attention_mask"].any():  # expect: XLA103
            print(text)


def by_attribute(processor, sounds):
    inputs = processor(sounds, sampling_rate=16000, return_tensors="pt").to(device)
    for sound in sounds:
        if inputs.input_features.isnan().any():  # expect: XLA103
            print(sound)


def one_by_one(tokenizer, texts):
    encoded = tokenizer(texts, return_tensors="pt")
    inputs = {name: part.to(device) for name, part in encoded.items()}
    for text in texts:
        if inputs["input_ids"].any():  # expect: XLA103
            print(text)


def one_tensor(tokenizer, texts):
    ids = tokenizer.encode(texts, return_tensors="pt").to(device)
    for text in texts:
        if ids.any():  # expect: XLA103
            print(text)


def on_the_host(tokenizer, texts):
    inputs = tokenizer(texts, return_tensors="pt")
    for text in texts:
        if inputs["attention_mask"].any() or inputs.input_ids.any():
            print(text)


def of_another_library(tokenizer, texts):
    inputs = tokenizer(texts, return_tensors="np")
    for text in texts:
        if inputs["attention_mask"].any():
            print(text)


def of_nobody_knows_what(encode, texts):
    inputs = encode(texts).to(device)
    for text in texts:
        if inputs["attention_mask"].any():
            print(text)
