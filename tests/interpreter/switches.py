# ruff: noqa
# mypy: ignore-errors
"""What a setting of a file decides on is told, and rests on that setting; what the program itself says does not."""

import argparse
import json

import hydra
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
import yaml


def metrics(gt, pred):
    if torch.any(gt > pred):  # expect: XLA103 likely
        return gt.sum()
    return pred.sum()


class Trainer:
    def __init__(self, cfg, loader):
        self.device = torch_xla.device()
        self.conf = cfg
        self.check_finite = bool(cfg.get("check_finite", False))
        self.limit = 3
        self.model = torch.nn.Linear(8, 8).to(self.device)
        self.loader = pl.MpDeviceLoader(loader, self.device)

    def step(self, batch):
        y = self.model(batch["x"])
        if self.conf.metrics.get("depth", {}).get("enabled"):
            metrics(batch["gt"], y)
        if self.check_finite and not torch.isfinite(y).all():  # expect: XLA103 likely
            return None
        if self.limit and y.sum() > 0:  # expect: XLA103
            return None
        return y

    def run(self, metrics_conf):
        self.fit(metrics_conf)
        self.show(metrics_conf)
        self.draw(metrics_conf)

    def fit(self, metrics_conf):
        for step, batch in enumerate(self.loader):
            y = self.step(batch)
            if not metrics_conf["quiet"]:
                print(y.sum().item())  # expect: XLA102
            elif metrics_conf["loss"] == "l2":
                print(y.sum().item())  # expect: XLA102 likely

    def show(self, metrics_conf):
        for step, batch in enumerate(self.loader):
            y = self.model(batch["x"])
            if metrics_conf["log_every"] and step % metrics_conf["log_every"] == 0:
                print(y.sum().item())  # expect: XLA102
            if metrics_conf["deep"]:
                if metrics_conf["deeper"] is not None:
                    if metrics_conf["deepest"] > 0:
                        print(y.sum().item())  # expect: XLA102 likely

    def draw(self, metrics_conf):
        for batch in self.loader:
            y = self.model(batch["x"])
            enabled = metrics_conf.get("histogram")
            if enabled:
                print(y.sum().item())  # expect: XLA102 likely


@hydra.main(config_path="conf", config_name="tpu")
def main(cfg):
    if cfg.use_tpu:
        Trainer(cfg, [{"x": torch.ones(8), "gt": torch.ones(8)}]).run(cfg.metrics)


main()


def read_from_a_file(path):
    chosen = json.load(open(path))
    with open(path) as file:
        more = yaml.safe_load(file)
    model = torch.nn.Linear(8, 8).to(torch_xla.device())
    for batch in pl.MpDeviceLoader([torch.ones(8)], torch_xla.device()):
        y = model(batch)
        if chosen["train"]["verbose"]:
            print(y.sum().item())  # expect: XLA102 likely
        if "norms" in more and more["norms"]:
            print(y.sum().item())  # expect: XLA102 likely


parser = argparse.ArgumentParser()
parser.add_argument("--verbose", action=argparse.BooleanOptionalAction, default=True)


class Settings:
    verbose = True


def said_by_the_program(args):
    config = parser.parse_args()
    settings = Settings()
    hparams = {"verbose": True}
    model = torch.nn.Linear(8, 8).to(torch_xla.device())
    for batch in pl.MpDeviceLoader([torch.ones(8)], torch_xla.device()):
        y = model(batch)
        if config.verbose:
            print(y.sum().item())  # expect: XLA102
        if settings.verbose:
            print(y.sum().item())  # expect: XLA102
        if hparams["verbose"]:
            print(y.sum().item())  # expect: XLA102
        if args.verbose:
            print(y.sum().item())  # expect: XLA102


options = argparse.ArgumentParser()
options.add_argument("--debug", action="store_true")
options.add_argument("--print-norm", type=bool, default=False)
options.add_argument("--show", action="store_true", default=True)
options.add_argument("--epochs", type=int, default=3)
options.add_argument("--use-tpu", action="store_true")


def left_off_by_the_command_line(args, loader):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    debugs = args.debug
    for batch in pl.MpDeviceLoader(loader, device):
        y = model(batch)
        if args.debug:
            print(y.sum().item())  # expect: XLA102 likely
        if debugs and args.print_norm:
            print(y.norm().item())  # expect: XLA102 likely
        if args.show:
            print(y.min().item())  # expect: XLA102
        if args.epochs > 1:
            print(y.var().item())  # expect: XLA102
        if args.use_tpu:
            print(y.max().item())  # expect: XLA102
        if not args.debug:
            print(y.std().item())  # expect: XLA102
