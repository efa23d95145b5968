"""Batches as long as their longest text: by collators, a tokenizer, by hand, and in a Trainer."""

from dataclasses import dataclass
from functools import partial

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import transformers
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

DEVICE = torch_xla.device()
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
samples = [[1], [2, 3], [1, 2, 3]]


def with_lengths(rows, filler):
    lengths = torch.tensor([len(row) for row in rows])
    batch = torch.full((len(rows), int(lengths.max())), filler)  # expect: XLA405 likely
    for place, row in zip(batch, rows):
        place[: len(row)] = torch.tensor(row)
    return batch


def by_lists(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])  # expect: XLA405 likely


def to_a_few_lengths(rows):
    longest = max(map(len, rows))
    longest = (longest + 63) // 64 * 64
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def to_multiples(rows):
    longest = max(len(row) for row in rows)
    return torch.zeros(len(rows), -(-longest // 8) * 8)


class Padding:
    def __call__(self, features):
        return self.fill_up(features)

    def fill_up(self, features):
        return tokenizer.pad(features, return_tensors="pt")  # expect: XLA405 likely


@dataclass
class DataCollatorSpeech:
    processor: object
    padding: bool | str = True

    def __call__(self, features):
        labels = self.processor.pad(features, padding=self.padding, return_tensors="pt")  # expect: XLA405 likely
        return labels.masked_fill(labels.attention_mask.ne(1), -100)


def encode(texts):
    return tokenizer(texts, padding="longest", truncation=True, return_tensors="pt")  # expect: XLA405 likely


def train(model, optimizer, loader):
    for batch in pl.MpDeviceLoader(loader, DEVICE):
        optimizer.zero_grad()
        model(batch).sum().backward()
        xm.optimizer_step(optimizer)


def batches(collate):
    return DataLoader(samples, batch_size=4, drop_last=True, collate_fn=collate)


def plain_loops():
    model = torch.nn.Linear(4, 1).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizer, batches(partial(with_lengths, filler=0)))
    loader = batches(by_lists)
    train(model, optimizer, loader)
    train(model, optimizer, batches(lambda texts: encode(texts)))
    train(model, optimizer, batches(Padding()))
    train(model, optimizer, batches(DataCollatorSpeech(processor=tokenizer)))
    train(model, optimizer, batches(transformers.DataCollatorWithPadding(tokenizer)))  # expect: XLA405 likely
    train(model, optimizer, batches(to_a_few_lengths))
    train(model, optimizer, batches(to_multiples))
    multiples = transformers.DataCollatorWithPadding(tokenizer, pad_to_multiple_of=64)
    train(model, optimizer, batches(multiples))


def on_the_host(collate):
    for batch in batches(collate):
        print(batch.shape)


def evaluate(model, texts):
    for start in range(0, len(texts), 8):
        encoded = tokenizer(texts[start : start + 8], padding=True, return_tensors="pt")  # expect: XLA405 likely
        model(**{name: part.to(DEVICE) for name, part in encoded.items()})
        torch_xla.sync()  # expect: XLA201
    for text in texts:
        model(**tokenizer(text, return_tensors="pt").to(DEVICE))  # expect: XLA405 likely
        torch_xla.sync()  # expect: XLA201
    for _ in range(10):
        model(**tokenizer(texts, padding=True, return_tensors="pt").to(DEVICE))
        torch_xla.sync()  # expect: XLA201


def by_a_trainer(train_dataset):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    collator = transformers.DataCollatorForSeq2Seq(tokenizer, model=model)  # expect: XLA405 likely
    trainer = Trainer(model, TrainingArguments("out"), collator, train_dataset)
    trainer.train()


if __name__ == "__main__":
    plain_loops()
    on_the_host(by_lists)
    by_a_trainer(samples)
