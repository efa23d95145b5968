# ruff: noqa
# mypy: ignore-errors
"""Models of transformers whose configurations tie the head to the embeddings: a move to XLA parts them, and so does
accelerate's. The Trainer ties them again, and so may users."""

import torch
import torch_xla
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForCausalLM, BertForMaskedLM, BertModel, GPT2LMHeadModel, GPT2Model, LlamaForCausalLM,
    OPTForCausalLM, PreTrainedModel, Trainer, TrainingArguments,
)

device = torch_xla.device()
NAME = "gpt2"


class Own(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.transformer = GPT2Model(config)
        self.lm_head = torch.nn.Linear(8, 8, bias=False)
        self.lm_head.weight = self.transformer.wte.weight

    def forward(self, tokens):
        return self.lm_head(self.transformer(tokens)[0])


class Denoiser(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel.from_pretrained("bert-base-uncased")
        self.decoder = torch.nn.Linear(8, 8, bias=False)
        self.decoder.weight = self.bert.embeddings.word_embeddings.weight

    def forward(self, tokens):
        return self.decoder(self.bert(tokens).last_hidden_state)


def train(model, batches):
    optimizer = torch.optim.AdamW(model.parameters())
    for tokens in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            model(tokens.to(device)).loss.backward()
            optimizer.step()


def by_its_class(batches):
    model = GPT2LMHeadModel.from_pretrained("gpt2")
    model.to(device)  # expect: XLA702
    train(model, batches)


def by_its_name(batches):
    train(AutoModelForCausalLM.from_pretrained(NAME).to(device), batches)  # expect: XLA702


def that_drops_nothing(batches):
    train(OPTForCausalLM.from_pretrained("facebook/opt-125m").to(device), batches)  # expect: XLA702


def of_its_own(batches, config):
    model = Own(config).to(device)  # expect: XLA702
    optimizer = torch.optim.AdamW(model.parameters())
    for tokens in batches:
        with torch_xla.step():
            model(tokens.to(device)).mean().backward()
            optimizer.step()


def beside_another_that_ties(batches):
    model = Denoiser().to(device)  # expect: XLA702
    optimizer = torch.optim.AdamW(model.parameters())
    for tokens in batches:
        with torch_xla.step():
            model(tokens.to(device)).mean().backward()
            optimizer.step()


def by_accelerate(data):
    accelerator = Accelerator()
    loader = DataLoader(data, batch_size=8, drop_last=True)
    model = BertForMaskedLM.from_pretrained("bert-base-uncased")
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)  # expect: XLA702
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()


def where_more_tokens_are_made_below(batches):
    model = GPT2LMHeadModel.from_pretrained("gpt2")
    model.to(device)  # quiet: the next line ties them again
    model.resize_token_embeddings(100)
    train(model, batches)


def where_more_tokens_are_made_above(batches):
    model = GPT2LMHeadModel.from_pretrained("gpt2")
    model.resize_token_embeddings(100)
    model.to(device)  # expect: XLA702
    train(model, batches)


def that_has_two_weights(batches):
    train(LlamaForCausalLM.from_pretrained("llama").to(device), batches)  # quiet: this family does not tie


def of_a_name_that_ties_nothing(batches):
    train(AutoModelForCausalLM.from_pretrained("llama").to(device), batches)  # quiet: nor does this one


def of_any_name(batches, name):
    train(AutoModelForCausalLM.from_pretrained(name).to(device), batches)  # quiet: nobody knows


def by_the_trainer(data):
    model = GPT2LMHeadModel.from_pretrained("gpt2")
    Trainer(model, TrainingArguments("out"), train_dataset=data).train()  # quiet: it ties again


def only_asked(tokens):
    model = GPT2LMHeadModel.from_pretrained("gpt2").to(device)  # quiet: nothing is trained
    return model.generate(tokens)
