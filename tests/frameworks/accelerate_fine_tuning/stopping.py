"""Texts that are padded by batch, and training that each process ends by its own loss.

Nothing here names XLA: that it trains there is assumed, and beside it what is likely anyway."""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def prepared(accelerator, train, test):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")

    def collate(rows):
        texts = [row["text"] for row in rows]
        batch = tokenizer(texts, padding="longest", return_tensors="pt")  # expect: XLA405 likely
        batch["labels"] = torch.tensor([row["label"] for row in rows])
        return batch

    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=5)
    optimizer = torch.optim.AdamW(model.parameters())
    train = DataLoader(train, batch_size=8, shuffle=True, collate_fn=collate)
    test = DataLoader(test, batch_size=8, collate_fn=collate)
    return accelerator.prepare(model, optimizer, train, test)


def evaluate(model, loader):
    total, count = 0.0, 0
    with torch.no_grad():
        for batch in loader:
            total += model(**batch).loss.item()  # quiet: nothing else of the batch is held
            count += 1
    return total / count


def fit(train, test, epochs, patience):
    accelerator = Accelerator()
    model, optimizer, train, test = prepared(accelerator, train, test)
    best, waited = float("inf"), 0
    for _ in range(epochs):
        for batch in train:
            optimizer.zero_grad()
            accelerator.backward(model(**batch).loss)
            optimizer.step()
        value = evaluate(model, test)
        if value >= best:
            waited += 1
            if waited > patience:
                break  # expect: XLA503 likely
        best = min(best, value)


def fit_together(train, test, epochs):
    accelerator = Accelerator()
    model, optimizer, train, test = prepared(accelerator, train, test)
    best = float("inf")
    for _ in range(epochs):
        for batch in train:
            optimizer.zero_grad()
            accelerator.backward(model(**batch).loss)
            optimizer.step()
        value = torch.tensor(evaluate(model, test), device=accelerator.device)
        value = accelerator.reduce(value, reduction="mean").item()
        if value >= best:
            break  # quiet: the mean is the same for all
        best = value
