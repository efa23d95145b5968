"""The same Trainer, which nothing tells to use a TPU."""

from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


class Watched(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        print(outputs.loss.item())
        return (outputs.loss, outputs) if return_outputs else outputs.loss


def main(dataset):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased")
    args = TrainingArguments("out", dataloader_drop_last=True)
    Watched(model=model, args=args, train_dataset=dataset).train()
