"""What a Trainer and its callbacks do on one replica alone."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from transformers import AutoModelForCausalLM, Trainer, TrainerCallback, TrainingArguments


class Gathering(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        loss = outputs.loss
        if self.is_world_process_zero():
            self.accelerator.gather(loss)  # expect: XLA502
            self.log({"learning rate": 0.1})  # quiet: nobody waits
        return (loss, outputs) if return_outputs else loss


class Stepping(Trainer):
    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = self.compute_loss(model, inputs)
        self.accelerator.backward(loss)
        self.optimizer.step()  # expect: XLA506
        return loss.detach()


class Saves(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, **kwargs):
        if state.is_world_process_zero:
            torch.save(model.state_dict(), "step.pt")  # expect: XLA501 likely, XLA601 likely

    def on_epoch_end(self, args, state, control, model=None, **kwargs):
        xm.rendezvous("epoch")  # quiet: all replicas wait
        if state.is_world_process_zero:
            print("epoch", state.epoch)  # quiet: the number is the host's

    def on_log(self, args, state, control, logs=None, **kwargs):
        if state.is_local_process_zero:
            print(logs)


def main(index):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    Stepping(model=model, args=TrainingArguments("out")).train()
    trainer = Gathering(model=model, args=TrainingArguments("out"), callbacks=[Saves()])
    trainer.train()
    trainer.save_model("model")  # quiet: all replicas save
    trainer.evaluate()  # quiet: nor here
    if trainer.is_world_process_zero():
        trainer.save_model("best")  # expect: XLA502
        trainer.evaluate()  # expect: XLA502
        print(model.config)


if __name__ == "__main__":
    torch_xla.launch(main)
