"""A trainer of optimum-neuron that overrides what its base calls."""

import torch
import torch_xla
from optimum.neuron import NeuronAccelerator, NeuronTrainer


class LoudTrainer(NeuronTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = outputs.loss
        if return_outputs:
            return loss, outputs
        self.total = loss.item()  # expect: XLA102 likely
        return loss


class QuietTrainer(NeuronTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        loss = super().compute_loss(model, inputs)
        self.last = loss.detach()  # quiet: nothing is read
        return loss

    def log(self, logs, start_time=None):
        print("loss", self.last)


def loop(model, dataset):
    accelerator = NeuronAccelerator()
    model = torch.nn.Linear(4, 4)
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.AdamW(model.parameters()), torch.utils.data.DataLoader(dataset)
    )
    for batch in loader:
        loss = model(batch).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())  # expect: XLA102
    torch_xla.sync()


def run(args, dataset):
    trainer = NeuronTrainer(args=args, train_dataset=dataset)
    trainer.train()  # quiet: the closures that save are not the user's
