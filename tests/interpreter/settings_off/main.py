# ruff: noqa
# mypy: ignore-errors
"""What rests on a setting alone that the files have off is a note; what is on in one of them, or in the code, is not."""

import os

import hydra
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, cfg, loader):
        self.conf = cfg
        self.device = torch_xla.device()
        self.model = torch.nn.Linear(8, 8).to(self.device)
        self.loader = pl.MpDeviceLoader(loader, self.device)
        self.finds_failures = str(
            os.environ.get("FIND_FAILURES", cfg.get("find_failures_early", False))
        ).lower() in {"1", "true"}

    def off_in_the_file(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if self.conf.shown.losses_of_steps:
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def empty_in_the_file(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if self.conf.shown["folder_for_plots"] is not None:
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def nowhere_in_the_files(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if self.conf.shown.get("never_named_setting", False):
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def of_the_environment(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if self.finds_failures:
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def written_inline(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if self.conf.extras_of_run.histograms_of_weights:
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def off_in_json(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if self.conf.drawn[0].curves_of_losses:
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def on_in_the_file(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if self.conf.shown.gradients_of_steps:
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def on_for_another_part(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if self.conf.get("switched_in_parts", False):
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def a_list(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if self.conf.shown.layers_to_show:
                print(loss.item())  # expect: XLA102 likely
            loss.backward()

    def where_it_is_off(self):
        for batch in self.loader:
            loss = self.model(batch).sum()
            if not self.conf.shown.losses_of_steps:
                print(loss.item())  # expect: XLA102
            loss.backward()


@hydra.main(config_path="conf", config_name="train_tpu")
def main(cfg):
    trainer = Trainer(cfg, [torch.ones(8)])
    trainer.off_in_the_file()
    trainer.empty_in_the_file()
    trainer.nowhere_in_the_files()
    trainer.of_the_environment()
    trainer.written_inline()
    trainer.off_in_json()
    trainer.on_in_the_file()
    trainer.on_for_another_part()
    trainer.a_list()
    trainer.where_it_is_off()


main()
