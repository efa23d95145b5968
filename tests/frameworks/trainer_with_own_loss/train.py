"""A Trainer whose own loss is looked at in the step."""

import numpy as np
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = torch.nn.functional.cross_entropy(outputs.logits, labels)
        self.log({"ce": loss.item()})  # expect: XLA102 likely
        if torch.isnan(loss):  # expect: XLA103 likely
            raise ValueError("nan")
        return (loss, outputs) if return_outputs else loss


def compute_metrics(pred):
    return {"acc": (np.argmax(pred.predictions, -1) == pred.label_ids).mean()}


def main():
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
    dataset = load_dataset("yelp_review_full").map(
        lambda e: tokenizer(e["text"], padding="max_length", truncation=True), batched=True
    )
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=5)
    args = TrainingArguments("out", per_device_train_batch_size=8)
    trainer = WeightedTrainer(
        model=model,
        args=args,
        train_dataset=dataset["train"],
        eval_dataset=dataset["test"],
        compute_metrics=compute_metrics,
    )
    trainer.train()
    trainer.save_model("out/final")


if __name__ == "__main__":
    main()
