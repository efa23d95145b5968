"""Models that drop by default while they train, and such as do not: only a seed of the host."""

import torch
import torch_xla
from lightning import seed_everything
from transformers import BertForSequenceClassification, BertTokenizer, GPT2LMHeadModel, GPT2Tokenizer
from transformers import AutoConfig, AutoModelForSequenceClassification
from transformers import BertConfig, LlamaForCausalLM, M2M100ForConditionalGeneration, RobertaModel, set_seed

device = torch_xla.device()
MODELS = {"bert": (BertForSequenceClassification, BertTokenizer), "gpt2": (GPT2LMHeadModel, GPT2Tokenizer)}

OF_THE_MODULE = M2M100ForConditionalGeneration.from_pretrained("facebook/m2m100_418M")
WITHOUT = BertForSequenceClassification.from_pretrained("saved", hidden_dropout_prob=0.0)


def train(model, data):
    model.to(device)
    for batch in data:
        with torch_xla.step():
            model(batch).loss.backward()


def drops(data, name):
    torch.manual_seed(1)  # expect: XLA707
    model = BertForSequenceClassification.from_pretrained(name, num_labels=2)
    model.train()
    train(model, data)


def drops_whatever_its_class(data, kind, name):
    torch.manual_seed(1)  # expect: XLA707
    model_class, _ = MODELS[kind]
    model = model_class.from_pretrained(name)
    model.train()
    train(model, data)


def is_still_in_the_mode_of_predictions(data, name):
    torch.manual_seed(1)
    train(BertForSequenceClassification.from_pretrained(name), data)


def has_somebodys_configuration(data, name, config):
    torch.manual_seed(1)
    model = BertForSequenceClassification.from_pretrained(name, config=config)
    model.train()
    train(model, data)


def is_told_not_to(data, name):
    torch.manual_seed(1)
    model = BertForSequenceClassification.from_pretrained(name, hidden_dropout_prob=0.0)
    model.train()
    train(model, data)


def is_of_a_family_that_does_not(data, name):
    torch.manual_seed(1)
    model = LlamaForCausalLM.from_pretrained(name)
    model.train()
    train(model, data)


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = RobertaModel.from_pretrained("roberta-base")
        self.head = torch.nn.Linear(768, 2)

    def forward(self, batch):
        return self.head(self.encoder(batch)[0])


def drops_within(data):
    torch.manual_seed(1)  # expect: XLA707
    model = Tagger().to(device)
    model.train()
    for batch in data:
        with torch_xla.step():
            model(batch).sum().backward()


def drops_as_its_configuration_has_it(data):
    set_seed(1)  # expect: XLA707
    model = BertForSequenceClassification(BertConfig(num_labels=2))
    train(model, data)


def drops_whatever_lightning_seeds(data, name):
    seed_everything(1, workers=True)  # expect: XLA707
    model = BertForSequenceClassification.from_pretrained(name).train()
    train(model, data)


def has_a_configuration_without(data):
    set_seed(1)
    train(BertForSequenceClassification(BertConfig(hidden_dropout_prob=0.0)), data)


def is_told_so_later(data):
    set_seed(1)
    config = BertConfig()
    config.hidden_dropout_prob = 0.0
    train(BertForSequenceClassification(config), data)


def has_one_that_somebody_saved(data, name):
    set_seed(1)
    train(BertForSequenceClassification(BertConfig.from_pretrained(name)), data)


def has_one_of_settings(data, **settings):
    set_seed(1)
    train(BertForSequenceClassification(BertConfig(**settings)), data)


def drops_as_the_configuration_of_that_name_has_it(data):
    set_seed(1)  # expect: XLA707
    config = AutoConfig.from_pretrained("bert-base-uncased", num_labels=2)
    train(AutoModelForSequenceClassification.from_config(config), data)


def drops_with_a_head_of_its_own(data):
    set_seed(1)  # expect: XLA707
    train(AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=2).train(), data)


def is_loaded_with_the_configuration_of_that_name(data):
    set_seed(1)  # expect: XLA707
    config = BertConfig.from_pretrained("bert-base-uncased")
    train(BertForSequenceClassification.from_pretrained("saved", config=config).train(), data)


def has_that_of_a_name_without(data):
    set_seed(1)
    config = AutoConfig.from_pretrained("bert-base-uncased", hidden_dropout_prob=0.0)
    train(AutoModelForSequenceClassification.from_config(config), data)


def has_that_of_any_name(data, name):
    set_seed(1)
    train(AutoModelForSequenceClassification.from_config(AutoConfig.from_pretrained(name)), data)


def drops_and_ties(data, name):
    torch.manual_seed(1)  # expect: XLA707
    model = GPT2LMHeadModel.from_pretrained(name)
    model.train()
    train(model, data)


def ties_and_is_still_in_the_mode_of_predictions(data, name):
    torch.manual_seed(1)
    train(GPT2LMHeadModel.from_pretrained(name), data)


def drops_as_a_model_of_the_module(data):
    torch.manual_seed(1)  # expect: XLA707
    model = OF_THE_MODULE.to(device)
    model.train()
    train(model, data)


def is_of_the_module_and_told_not_to(data):
    torch.manual_seed(1)
    train(WITHOUT.train(), data)
