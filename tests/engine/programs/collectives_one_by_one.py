"""Records every collective that the engine knows, each on a line of its own."""

import os
from collections.abc import Iterator

import torch
import torch_xla
import torch_xla.core.xla_model as xm

from xlalint.diagnostic import Severity
from xlalint.lazy.events import Collective
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule
from xlalint_runtime.guarding import Guard


class ReplicasAdd(Rule[Collective]):
    code, name, severity = "XLA901", "replicas-add", Severity.INFO

    def judge(self, event: Collective, state: View) -> Iterator[Finding]:
        if event.operation != "rendezvous":
            yield self.finding(event, "", help="")


class ReplicasMeet(Rule[Collective]):
    code, name, severity = "XLA902", "replicas-meet", Severity.INFO

    def judge(self, event: Collective, state: View) -> Iterator[Finding]:
        if (event.operation, event.tag) == ("rendezvous", "end"):
            yield self.finding(event, "", help="")


def meet(x: torch.Tensor) -> None:
    os.environ["XLA_ALWAYS_ALLREDUCE"] = "1"  # Else torch_xla leaves collectives out on one replica.
    out = torch.zeros(4, 4).to(x.device)
    xm.all_reduce(xm.REDUCE_SUM, [x])  # XLA901
    xm.all_reduce(xm.REDUCE_SUM, x)  # XLA901
    xm.all_reduce(xm.REDUCE_SUM, x, scale=0.5)  # XLA901
    xm.all_reduce(xm.REDUCE_SUM, x, scale=0.5, groups=[[0]])  # XLA901
    xm.all_gather(x, pin_layout=False)  # XLA901
    xm.all_gather(x, output=out, pin_layout=False)  # XLA901
    xm.all_gather([x], pin_layout=False)  # XLA901
    xm.all_gather([x], output=[out], pin_layout=False)  # XLA901
    xm.all_to_all(x, 0, 0, 1)  # XLA901
    xm.collective_permute(x, [[0, 0]])  # XLA901
    xm.reduce_scatter(xm.REDUCE_SUM, x, 1.0, 0, 1)  # XLA901
    xm.reduce_scatter(xm.REDUCE_SUM, x, 1.0, 0, 1, output=out)  # XLA901
    xm.rendezvous("end")  # XLA902


def main() -> list[float]:
    with Guard((ReplicasAdd, ReplicasMeet)) as guard:
        meet(torch.ones(4, 4).to(torch_xla.device()))
    return [float(d.code[3:]) + d.range.start.line / 1000 for d in guard.diagnostics()]


if __name__ == "__main__":
    main()
