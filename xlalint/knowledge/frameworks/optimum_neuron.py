"""optimum-neuron on Neuron devices: what its trainer and its accelerator do otherwise than those that they derive from.

From its public sources of 2025 (huggingface/optimum-neuron, `trainers/transformers.py` and `accelerate/`): the trainer
marks the step before each batch, before the optimizer's step and after it. Gradients are summed, then clipped, by
the optimizer. What is logged and saved is so in step closures, after a further mark.
"""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from accelerate import Accelerator
from transformers import PreTrainedModel, Trainer

MODULES = ("optimum.neuron",)
NAMED_LIKE = {"NeuronModel": ("*Model", "*For[A-Z]*")}


class NeuronModel(PreTrainedModel):
    """One of its own, which checkpoints as torch_xla does."""

    def gradient_checkpointing_enable(self, gradient_checkpointing_kwargs=None):
        pass


class NeuronAccelerator(Accelerator):
    def prepare_model(self, model, device_placement=None, evaluation_mode=False):
        model = model.to(self.device)
        torch_xla.sync()
        return model


class NeuronTrainer(Trainer):
    def train(self, resume_from_checkpoint=None):
        _train(self, PreTrainedModel().to(torch_xla.device()))


class NeuronSFTTrainer(NeuronTrainer):
    pass


def _train(trainer, model):
    trainer.model = model
    optimizer = torch.optim.AdamW(model.parameters())
    for inputs in batches:
        inputs = {name: torch.ones(1, device=torch_xla.device()) for name in names}
        xm.mark_step()
        loss = trainer.training_step(model, inputs)
        xm.mark_step()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        model.zero_grad()
        for callback in trainer.callbacks:
            callback.on_step_end(trainer.args, trainer.state, control, model=model, optimizer=optimizer)
        xm.mark_step()
        if saving_is_due:
            xm.add_step_closure(trainer.save_model, (output_dir,))
            xm.mark_step()


def harness(trainer: NeuronTrainer):
    _train(trainer, PreTrainedModel().to(torch_xla.device()))
