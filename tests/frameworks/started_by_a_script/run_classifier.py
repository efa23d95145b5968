"""A trainer that a script starts on XLA, by the launcher that transformers has for it."""

from transformers import Trainer


class OwnTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = outputs["loss"]
        if loss > 100:  # expect: XLA103
            print("the loss explodes")
        return (loss, outputs) if return_outputs else loss


def main(model, dataset):
    OwnTrainer(model=model, train_dataset=dataset).train()
