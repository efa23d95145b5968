"""What users of the Trainer override, and hand to it; the project says elsewhere that it runs on XLA."""

import torch
from transformers import AutoModelForSequenceClassification, Trainer, TrainerCallback, TrainingArguments


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = torch.nn.functional.cross_entropy(outputs.logits, inputs["labels"])
        if loss.item() > 100:  # expect: XLA102 likely
            print("large")
        return (loss, outputs) if return_outputs else loss

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        logits = model(**inputs).logits
        return None, logits.argmax(dim=-1).cpu(), inputs["labels"]  # quiet: nothing of it is left


class WatchedTrainer(Trainer):
    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = super().training_step(model, inputs)
        print(loss.item())  # expect: XLA102 likely
        return loss


class CountingTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        right = (outputs.get("logits").argmax(-1) == inputs["labels"]).float().mean()
        self.history.append(right.item())  # expect: XLA102 likely
        return (outputs["loss"], outputs) if return_outputs else outputs["loss"]


class GatheringTrainer(Trainer):
    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = super().training_step(model, inputs)
        self.losses.append(loss.detach())  # quiet: nothing is read
        return loss


class GoodTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = torch.nn.functional.cross_entropy(outputs.logits, inputs["labels"])
        return (loss, outputs) if return_outputs else loss


class PrintNorm(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, **kwargs):
        norm = sum(p.norm() for p in model.parameters())
        print(norm.item())  # expect: XLA102 likely

    def on_log(self, args, state, control, logs=None, **kwargs):
        print(state.global_step, logs)


def main(train_set, eval_set):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased")
    trainer = WeightedTrainer(
        model=model, args=TrainingArguments("out"), train_dataset=train_set, callbacks=[PrintNorm()]
    )
    trainer.train()
    plain = Trainer(model=model, train_dataset=train_set, eval_dataset=eval_set)
    plain.train()
    plain.evaluate()
