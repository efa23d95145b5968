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


class Averages(Callback):
    def __init__(self, path):
        self.path, self.averages = path, None

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if self.averages is None:
            self.averages = {name: p.detach().clone() for name, p in pl_module.named_parameters()}
            return
        for name, p in pl_module.named_parameters():
            self.averages[name].lerp_(p.detach(), 0.01)

    def on_validation_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            torch.save(self.averages, self.path)  # expect: XLA601 likely

    def on_train_end(self, trainer, pl_module):
        torch.save(pl_module.encoder.layers[0].state_dict(), self.path)  # expect: XLA601 likely
        torch.save(pl_module.scheduler.state_dict(), self.path)  # quiet: no module
