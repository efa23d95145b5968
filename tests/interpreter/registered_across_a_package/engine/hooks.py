# ruff: noqa
# mypy: ignore-errors
from .registry import HOOKS


class Hook:
    def after_step(self, trainer):
        pass

    def after_epoch(self, trainer):
        pass


@HOOKS.register("smooth")
class Smooth(Hook):
    def __init__(self):
        self.values = []

    def after_step(self, trainer):
        self.values.append(trainer.loss.item())


@HOOKS.register("count")
class Count(Hook):
    def after_step(self, trainer):
        trainer.count += 1


@HOOKS.register("name")
class Name(Hook):
    def after_epoch(self, trainer):
        trainer.name = "done"


@HOOKS.register("keep")
class Keep(Hook):
    def after_step(self, trainer):
        trainer.kept = trainer.loss


@HOOKS.register("quiet")
class Quiet(Hook):
    pass


@HOOKS.register("print")
class Print(Hook):
    def after_epoch(self, trainer):
        print(trainer.count)
