# ruff: noqa
# mypy: ignore-errors
"""Functions that save for whoever calls them, maybe in mid-step: nobody does here."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


class Engine:
    def __init__(self, model, scheduler, args):
        self.model, self.lr_scheduler, self.args = model, scheduler, args

    def save_on_the_master(self, path):
        if xm.is_master_ordinal():
            xm.save(self.model.state_dict(), path)  # expect: XLA501 likely

    def save_if_told_so(self, path, is_master):
        if is_master:
            xm.save(self.model.state_dict(), path)

    def save_after_a_rendezvous(self, path):
        xm.rendezvous("save")
        if xm.is_master_ordinal():
            xm.save(self.model.state_dict(), path)

    def save_all(self, path):
        xm.save({"model": self.model.state_dict(), "scheduler": self.lr_scheduler.state_dict()}, path)
        xm.save(self.model, path)

    def save_what_the_host_holds(self, path):
        xm.save(self.lr_scheduler.state_dict(), path)
        xm.save(self.args, path)
        xm.save({"args": self.args, "epoch": 3, "rng_state": torch.get_rng_state()}, path)

    def save_for_torch(self, path):
        torch.save(self.model.state_dict(), path)

    def save_that_another_saver_calls(self, path):
        if xm.is_master_ordinal():
            xm.save(self.model.state_dict(), path)

    def save_by_another_saver(self, path):
        self.save_that_another_saver_calls(path)  # expect: XLA501 likely

    def save_that_somebody_calls(self, path):
        xm.save(self.model.state_dict(), path)


def train(engine, path):
    torch_xla.sync()
    engine.save_that_somebody_calls(path)


def export(model, path):
    xm.save(model.state_dict(), path)


class EngineThatEndsItsSteps:
    def __init__(self, model):
        self.model = model

    def step(self, batch):
        self.model(batch).sum().backward()
        torch_xla.sync()

    def save_on_a_master(self, path):
        if xm.is_master_ordinal():
            xm.save(self.model.state_dict(), path)


def one_replica(index):
    pass


def starts_replicas():
    torch_xla.launch(one_replica)
