"""A Trainer that is told on how many cores of a TPU it trains: nothing else says so."""

from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


class Watched(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        print(outputs.loss.item())  # expect: XLA102
        return (outputs.loss, outputs) if return_outputs else outputs.loss


def main(dataset):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased")
    args = TrainingArguments("out", tpu_num_cores=8, dataloader_drop_last=True)
    trainer = Watched(model=model, args=args, train_dataset=dataset)
    trainer.train()
    if trainer.is_world_process_zero():
        trainer.save_model("best")  # expect: XLA502 likely
        print("saved")
