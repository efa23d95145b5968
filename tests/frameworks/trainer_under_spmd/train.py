"""A Trainer under SPMD, with a fallback for models that cannot save themselves."""

import torch
import torch_xla.runtime as xr
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

xr.use_spmd()


class SavingTrainer(Trainer):
    def save_model(self, output_dir=None, _internal_call=False):
        model = self.model
        if hasattr(model, "module"):
            model = model.module
        if hasattr(model, "save_pretrained"):
            model.save_pretrained(output_dir)  # expect: XLA601 likely
        else:
            torch.save(model.state_dict(), f"{output_dir}/model.bin")  # quiet: models of transformers have it


def train(dataset):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    trainer = SavingTrainer(model=model, args=TrainingArguments("out"), train_dataset=dataset)
    trainer.train()  # quiet: the Trainer sums gradients all the same


train([1])
