"""The Trainer of transformers on a tiny random model, with a loss of its own and a callback."""

import tempfile

import torch
import torch_xla
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments


class Tokens(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        tokens = torch.arange(index, index + 12) % 50
        return {"input_ids": tokens, "labels": tokens}


class OwnLoss(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):  # zone: loss
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits[:, :-1].flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten())
        loss = loss * 1.0
        return (loss, outputs) if return_outputs else loss

    def training_step(self, model, inputs, num_items_in_batch=None):  # zone: loss
        model.train()
        loss = super().training_step(model, inputs, num_items_in_batch)
        self.steps = getattr(self, "steps", 0) + 1
        return loss


class Counting(TrainerCallback):
    steps = 0

    def on_step_end(self, args, state, control, **kwargs):
        self.steps += 1


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)  # The Trainer seeds the host alone, and GPT2 has dropout.
    model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=16, n_layer=1, n_head=2))
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder, max_steps=6, per_device_train_batch_size=4, logging_steps=100, report_to=[],
            save_strategy="no", disable_tqdm=True, max_grad_norm=0.0, optim="adamw_torch",
        )  # fmt: skip
        OwnLoss(model, arguments, train_dataset=Tokens(), callbacks=[Counting()]).train()


main()
