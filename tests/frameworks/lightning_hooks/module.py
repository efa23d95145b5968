"""What Lightning calls around backward, in tests and in predictions."""

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback


class Clips(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        return self.net(batch[0]).sum()

    def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        norm = torch.nn.utils.clip_grad_norm_(self.parameters(), 1.0)  # quiet: the gradients are summed
        if norm > 10:  # expect: XLA103 likely
            print("large")

    def validation_step(self, batch, batch_idx):
        return self.net(batch[0]).sum()

    def on_validation_batch_end(self, outputs, batch, batch_idx):
        self.kept = batch[0][batch[0] > 0]  # expect: XLA401 likely

    def predict_step(self, batch, batch_idx):
        scores = self.net(batch[0])
        return scores[scores > 0]  # expect: XLA401 likely


class Gathers(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        return self.net(batch[0]).sum()

    def on_test_epoch_end(self):
        if self.trainer.is_global_zero:
            self.all_gather(self.net.weight)  # expect: XLA502 likely
        self.all_gather(self.net.weight)  # quiet: all replicas gather

    def predict_step(self, batch, batch_idx):
        return self.net(batch[0]).argmax(dim=1)


class LooksBefore(Callback):
    def on_before_backward(self, trainer, pl_module, loss):
        print(loss.item())  # expect: XLA102 likely


class LooksAfter(Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        print(outputs["loss"].item())  # quiet: the step has run
