"""Judges what the guard tells the model and no rule under the guard asks for, or not for it alone."""

from collections.abc import Iterator
from dataclasses import replace

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch.utils.data import DataLoader, TensorDataset

from xlalint.diagnostic import Severity
from xlalint.lazy.events import (
    ClosureNeverRun,
    GradientUsed,
    HostRead,
    LeftPending,
    OptimizerStepped,
    Reading,
    StepSplit,
    Use,
)
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule
from xlalint_runtime.guarding import Guard


class StepIsSplit(Rule[StepSplit]):
    code, name, severity = "XLA903", "step-is-split", Severity.INFO

    def judge(self, event: StepSplit, state: View) -> Iterator[Finding]:
        yield self.finding(event, "", help="")


class BuiltTooEarly(Rule[OptimizerStepped]):
    code, name, severity = "XLA904", "built-too-early", Severity.INFO

    def judge(self, event: OptimizerStepped, state: View) -> Iterator[Finding]:
        if event.stale and event.built:
            yield replace(self.finding(event, "", help=""), path=event.built[-1:])


class Printed(Rule[HostRead]):
    code, name, severity = "XLA905", "printed", Severity.INFO

    def judge(self, event: HostRead, state: View) -> Iterator[Finding]:
        if event.reading is Reading.TEXT:
            yield self.finding(event, "", help="")


class Clipped(Rule[GradientUsed]):
    code, name, severity = "XLA906", "clipped", Severity.INFO

    def judge(self, event: GradientUsed, state: View) -> Iterator[Finding]:
        if event.use in (Use.CLIP, Use.CUT_OFF, Use.UNSCALE):
            yield self.finding(event, "", help="")


class NeverRun(Rule[ClosureNeverRun]):
    code, name, severity = "XLA907", "never-run", Severity.INFO

    def judge(self, event: ClosureNeverRun, state: View) -> Iterator[Finding]:
        yield self.finding(event, "", help="")


class AsNumber(Rule[HostRead]):
    code, name, severity = "XLA908", "as-number", Severity.INFO

    def judge(self, event: HostRead, state: View) -> Iterator[Finding]:
        if event.spelling.startswith(("int(", "float(")):
            yield self.finding(event, "", help="")


class LeftByError(Rule[LeftPending]):
    code, name, severity = "XLA909", "left-by-error", Severity.INFO

    def judge(self, event: LeftPending, state: View) -> Iterator[Finding]:
        if event.obligation.detail == "exception":
            yield self.finding(event, "", help="")


def train(x: torch.Tensor) -> None:
    model = torch.nn.Linear(4, 2)
    early = torch.optim.SGD(model.parameters(), lr=0.1)  # XLA904
    model.to(torch_xla.device())
    early.step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x).sum().backward()
    torch_xla.sync()  # XLA903
    optimizer.step()
    model(x).sum().backward()
    optimizer.zero_grad()
    torch_xla.sync()
    optimizer.step()
    scaler = torch.amp.GradScaler("xla")
    scaler.scale(model(x).sum()).backward()
    scaler.unscale_(optimizer)  # XLA906
    torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)  # XLA906
    print(x * 3)  # XLA905
    kept: list[float] = [int((x * 4).sum())]  # XLA908
    kept.append(float((x * 5).sum()))  # XLA908
    try:
        train_until_error(model, optimizer, x.device)
    except ZeroDivisionError:
        model(x).sum().backward()
    torch_xla.sync()


def train_until_error(model: torch.nn.Module, optimizer: torch.optim.Optimizer, device: torch.device) -> None:
    shares: list[float] = []
    for (batch,) in DataLoader(TensorDataset(torch.ones(6, 4)), batch_size=2):
        optimizer.zero_grad()
        model(batch.to(device)).sum().backward()
        optimizer.step()
        shares.append(1 / (2 - len(shares)))  # XLA909
        torch_xla.sync()


def main() -> list[float]:
    rules = (StepIsSplit, BuiltTooEarly, Printed, Clipped, NeverRun, AsNumber, LeftByError)
    with Guard(rules) as guard:
        train(torch.ones(3, 4).to(torch_xla.device()))
        xm.add_step_closure(print)  # XLA907
        guard.end()
    return [float(d.code[3:]) + d.range.start.line / 1000 for d in guard.diagnostics()]


if __name__ == "__main__":
    main()
