"""composer on XLA devices: its trainer calls a model on a batch, and marks the step after each backward."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class ComposerModel(torch.nn.Module):
    def forward(self, batch):
        return batch

    def loss(self, outputs, batch):
        return outputs

    def eval_forward(self, batch, outputs=None):
        return outputs

    def update_metric(self, batch, outputs, metric):
        pass


class Callback:
    def after_forward(self, state, logger):
        pass

    def after_loss(self, state, logger):
        pass

    def after_backward(self, state, logger):
        pass

    def batch_end(self, state, logger):
        pass


def _fit(model, callback):
    model = model.to(torch_xla.device())
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in pl.MpDeviceLoader(batches):
        outputs = model(batch)
        callback.after_forward(state, logger)
        loss = model.loss(outputs, batch)
        callback.after_loss(state, logger)
        loss.backward()
        xm.mark_step()
        callback.after_backward(state, logger)
        optimizer.step()
        callback.batch_end(state, logger)
    for batch in pl.MpDeviceLoader(batches):
        outputs = model.eval_forward(batch, model(batch))
        model.update_metric(batch, outputs, metric)


def harness(model: ComposerModel):
    _fit(model, Callback())
