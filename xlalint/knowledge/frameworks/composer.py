"""composer on XLA devices: its trainer calls a model and callbacks, and marks the step after each backward."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

ON_XLA = {"device": ("tpu",)}


class ComposerModel(torch.nn.Module):
    def forward(self, batch):
        return batch

    def loss(self, outputs, batch):
        return outputs

    def eval_forward(self, batch, outputs=None):
        return outputs

    def update_metric(self, batch, outputs, metric):
        pass


class HuggingFaceModel(ComposerModel):
    def __init__(self, model=None, **kwargs):
        self.model = model

    def forward(self, batch):
        return self.model(**batch)

    def loss(self, outputs, batch):
        return outputs["loss"]


class ComposerClassifier(ComposerModel):
    def __init__(self, module=None, **kwargs):
        self.module = module

    def forward(self, batch):
        return self.module(batch[0])

    def loss(self, outputs, batch):
        return torch.nn.functional.cross_entropy(outputs, batch[1])


class State:
    def __init__(self, model, loader):
        self.model = model
        self.train_dataloader = loader
        self.batch = batches
        self.outputs = None
        self.loss = None


class Callback:
    def batch_start(self, state, logger):
        pass

    def before_forward(self, state, logger):
        pass

    def after_forward(self, state, logger):
        pass

    def before_loss(self, state, logger):
        pass

    def after_loss(self, state, logger):
        pass

    def before_backward(self, state, logger):
        pass

    def after_backward(self, state, logger):
        pass

    def after_train_batch(self, state, logger):
        pass

    def batch_end(self, state, logger):
        pass

    def epoch_end(self, state, logger):
        pass

    def eval_batch_end(self, state, logger):
        pass

    def eval_end(self, state, logger):
        pass

    def fit_end(self, state, logger):
        pass


class Algorithm:
    def apply(self, event, state, logger):
        pass


def get_global_rank():
    return xm.get_ordinal()


def get_world_size():
    return xm.xrt_world_size()


def barrier():
    torch.distributed.barrier()


def all_reduce(tensor, reduce_operation="SUM"):
    xm.all_reduce(xm.REDUCE_SUM, [tensor])


def all_gather(tensor):
    return xm.all_gather(tensor)


def _fit(state, callback, algorithm):
    model = state.model.to(torch_xla.device())
    state.model = model
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in pl.MpDeviceLoader(state.train_dataloader):
        state.batch = batch
        algorithm.apply(event, state, logger)
        callback.batch_start(state, logger)
        callback.before_forward(state, logger)
        state.outputs = model(batch)
        callback.after_forward(state, logger)
        callback.before_loss(state, logger)
        state.loss = model.loss(state.outputs, batch)
        callback.after_loss(state, logger)
        callback.before_backward(state, logger)
        state.loss.backward()
        xm.mark_step()
        callback.after_backward(state, logger)
        optimizer.step()
        callback.after_train_batch(state, logger)
        callback.batch_end(state, logger)
    callback.epoch_end(state, logger)
    callback.fit_end(state, logger)
    for batch in pl.MpDeviceLoader(batches):
        state.outputs = model.eval_forward(batch, model(batch))
        model.update_metric(batch, state.outputs, metric)
        callback.eval_batch_end(state, logger)
    callback.eval_end(state, logger)


class _SomeModel(ComposerModel):
    def __init__(self):
        self.network = torch.nn.Linear(1, 1)

    def forward(self, batch):
        return self.network(batch)

    def loss(self, outputs, batch):
        return outputs.mean()


class Trainer:
    def __init__(
        self, *, model=None, train_dataloader=None, callbacks=None, algorithms=None, device=None, **named
    ):
        self.state = State(model if isinstance(model, torch.nn.Module) else _SomeModel(), train_dataloader)

    def fit(self, *, train_dataloader=None, **named):
        if train_dataloader is not None:
            self.state.train_dataloader = train_dataloader
        # A callback of the user's has its own harness: one that nobody knows would hide all that comes after it.
        _fit(self.state, Callback(), Algorithm())


def harness(model: ComposerModel):
    _fit(State(model, batches), Callback(), Algorithm())


def harness_of_callback(callback: Callback):
    _fit(State(_SomeModel(), batches), callback, Algorithm())


def harness_of_algorithm(algorithm: Algorithm):
    _fit(State(_SomeModel(), batches), Callback(), algorithm)
