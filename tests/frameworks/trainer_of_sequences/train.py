"""A trainer for sequences with a loss of its own, which is looked at in the step."""

import torch
from datasets import load_dataset
from transformers import AutoModelForSeq2SeqLM, Seq2SeqTrainer, Seq2SeqTrainingArguments


class SmoothedTrainer(Seq2SeqTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        loss = outputs.loss
        if not torch.isfinite(loss):  # expect: XLA103 likely
            raise ValueError("not finite")
        return (loss, outputs) if return_outputs else loss


def main():
    model = AutoModelForSeq2SeqLM.from_pretrained("t5-small")
    data = load_dataset("xsum")
    trainer = SmoothedTrainer(model=model, args=Seq2SeqTrainingArguments("out"), train_dataset=data["train"])
    trainer.train()


if __name__ == "__main__":
    main()
