"""The same fine-tuning script, moved to XLA with its steps and its saves as they should be."""

import evaluate
import torch
import torch_xla
import torch_xla.core.xla_model as xm
from datasets import load_dataset
from torch.optim import AdamW
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_scheduler


def main():
    dataset = load_dataset("yelp_review_full")
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")

    def tokenize(examples):
        return tokenizer(examples["text"], padding="max_length", truncation=True)

    tokenized = dataset.map(tokenize, batched=True)
    tokenized = tokenized.remove_columns(["text"]).rename_column("label", "labels")
    tokenized.set_format("torch")
    train_dataloader = DataLoader(tokenized["train"], shuffle=True, batch_size=8, drop_last=True)
    eval_dataloader = DataLoader(tokenized["test"], batch_size=8)

    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=5)
    model.to("xla")
    optimizer = AdamW(model.parameters(), lr=5e-5)
    num_epochs = 3
    num_training_steps = num_epochs * len(train_dataloader)
    lr_scheduler = get_scheduler(
        "linear", optimizer=optimizer, num_warmup_steps=0, num_training_steps=num_training_steps
    )

    progress_bar = tqdm(range(num_training_steps))
    model.train()
    for _ in range(num_epochs):
        total = 0.0
        for batch in train_dataloader:
            with torch_xla.step():
                batch = {k: v.to("xla") for k, v in batch.items()}
                outputs = model(**batch)
                loss = outputs.loss
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            lr_scheduler.step()
            total += loss.item()
            progress_bar.update(1)
            progress_bar.set_postfix(loss=loss.item())
        print(total / len(train_dataloader))

        metric = evaluate.load("accuracy")
        model.eval()
        for batch in eval_dataloader:
            with torch_xla.step(), torch.no_grad():
                batch = {k: v.to("xla") for k, v in batch.items()}
                outputs = model(**batch)
                predictions = torch.argmax(outputs.logits, dim=-1)
            metric.add_batch(predictions=predictions, references=batch["labels"])
        print(metric.compute())
    xm.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
