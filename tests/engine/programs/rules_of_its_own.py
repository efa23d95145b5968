"""Judges what the guard tells the model and no rule under the guard asks for, or not for it alone."""

import os
from collections.abc import Iterator
from dataclasses import replace

import torch
import torch_xla
import torch_xla.core.xla_model as xm

from xlalint.diagnostic import Severity
from xlalint.lazy.events import Collective, Event, HostRead, OptimizerStepped, Reading, StepSplit
from xlalint.lazy.state import State
from xlalint.rule import Finding, Rule
from xlalint_runtime.guard import Guard


class ReplicasAdd(Rule):
    code, name, severity, guarded, events = "XLA901", "replicas-add", Severity.INFO, True, (Collective,)
    operation = "all_reduce"

    def judge(self, event: Event, state: State) -> Iterator[Finding]:
        if isinstance(event, Collective) and event.operation == self.operation:
            yield self.finding(event, "", help="")


class ReplicasMeet(ReplicasAdd):
    code, name, operation = "XLA902", "replicas-meet", "rendezvous"


class StepIsSplit(Rule):
    code, name, severity, guarded, events = "XLA903", "step-is-split", Severity.INFO, True, (StepSplit,)

    def judge(self, event: Event, state: State) -> Iterator[Finding]:
        yield self.finding(event, "", help="")


class Printed(Rule):
    code, name, severity, guarded, events = "XLA905", "printed", Severity.INFO, True, (HostRead,)

    def judge(self, event: Event, state: State) -> Iterator[Finding]:
        if isinstance(event, HostRead) and event.reading is Reading.TEXT:
            yield self.finding(event, "", help="")


class BuiltTooEarly(Rule):
    code, name, severity, guarded, events = (
        "XLA904",
        "built-too-early",
        Severity.INFO,
        True,
        (OptimizerStepped,),
    )

    def judge(self, event: Event, state: State) -> Iterator[Finding]:
        if isinstance(event, OptimizerStepped) and event.built:
            yield replace(self.finding(event, "", help=""), path=event.built[-1:])


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
    print(x * 3)  # XLA905
    xm.all_reduce(xm.REDUCE_SUM, [x])  # XLA901
    xm.rendezvous("end")  # XLA902


def main() -> list[float]:
    os.environ["XLA_ALWAYS_ALLREDUCE"] = "1"  # Else torch_xla leaves collectives out on one replica.
    rules = (ReplicasAdd, ReplicasMeet, StepIsSplit, Printed, BuiltTooEarly)
    with Guard(rules) as guard:
        train(torch.ones(3, 4).to(torch_xla.device()))
    return [float(d.code[3:]) + d.range.start.line / 100 for d in guard.diagnostics()]


if __name__ == "__main__":
    main()
