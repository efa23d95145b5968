"""A Trainer has its model train, and what drops there follows the seed of the device."""

import torch
import torch_xla
from transformers import BertForSequenceClassification, LlamaForCausalLM, Trainer, set_seed


def drops(args, data):
    set_seed(args.seed)  # expect: XLA707
    model = BertForSequenceClassification.from_pretrained(args.name)
    Trainer(model=model, args=args, train_dataset=data).train()


def has_a_seed_for_the_device(args, data):
    torch.manual_seed(args.seed)
    torch_xla.manual_seed(args.seed)
    model = BertForSequenceClassification.from_pretrained(args.name)
    Trainer(model=model, args=args, train_dataset=data).train()


def drops_nothing(args, data):
    set_seed(args.seed)
    model = LlamaForCausalLM.from_pretrained(args.name)
    Trainer(model=model, args=args, train_dataset=data).train()
