"""A Trainer that goes over the batches of an evaluation itself, and one that only says what a batch predicts."""

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments
from transformers.trainer_utils import EvalLoopOutput


class Looping(Trainer):
    def evaluation_loop(
        self, dataloader, description, prediction_loss_only=None, ignore_keys=None, metric_key_prefix="eval"
    ):
        predictions = []
        for inputs in dataloader:
            inputs = self._prepare_inputs(inputs)
            with torch.no_grad():
                logits = self.model(**inputs).logits
            predictions.append(logits.cpu().numpy())  # quiet: nothing else of the batch is held
        return EvalLoopOutput(np.concatenate(predictions), None, {}, len(predictions))


class Predicting(Trainer):
    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        with torch.no_grad():
            outputs = model(**inputs)
        return outputs.loss, outputs.logits, inputs["labels"]  # quiet: the Trainer reads them below its marker


class Gathering(Trainer):
    def evaluation_loop(
        self, dataloader, description, prediction_loss_only=None, ignore_keys=None, metric_key_prefix="eval"
    ):
        predictions = []
        for inputs in dataloader:
            with torch.no_grad():
                predictions.append(self.model(**inputs).logits)
        found = torch.cat(predictions).cpu().numpy()  # quiet: the loader has run them
        return EvalLoopOutput(found, None, {}, len(predictions))


class Agreeing(Trainer):
    def evaluate(self, eval_dataset=None, ignore_keys=None, metric_key_prefix="eval"):
        right = 0
        for inputs in self.get_eval_dataloader(eval_dataset):
            with torch.no_grad():
                logits = self.model(**inputs).logits
            right += (logits.argmax(-1) == inputs["labels"]).sum().item()  # expect: XLA102 likely
        return {"eval_right": right}


def main(train, test):
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=5)
    for kind in (Looping, Predicting, Gathering, Agreeing):
        trainer = kind(model, TrainingArguments("out"), train_dataset=train, eval_dataset=test)
        trainer.train()
        print(trainer.evaluate())
