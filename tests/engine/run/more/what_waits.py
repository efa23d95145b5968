"""Whether anything waits is known without asking the engine each time: it must know the same after each of these.

Each line of the output is one that differs.
"""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

from xlalint_runtime import counters, pending

device = torch_xla.device()
here = pending.default_device()
work = pending.Work()
one, other, flat = (torch.ones(shape).to(device) for shape in ((4, 4), (4, 4), (16,)))
whole, rows, out = torch.tensor(3).to(device), torch.arange(4).to(device), torch.empty(4, 4, device=device)
norm = torch.nn.BatchNorm1d(4).to(device)
layer = torch.nn.Linear(4, 4).to(device)


def trained():
    loss = layer(one).square().mean()
    work.may_wait(loss)
    return loss


CHANGES = [
    lambda: one.add_(1), lambda: one.mul_(other), lambda: one.fill_(1.0), lambda: one.zero_(), lambda: one.copy_(other),
    lambda: one.copy_(torch.ones(4, 4)), lambda: whole.copy_(torch.tensor(1.0)),
    lambda: one.__setitem__(0, 3.0), lambda: one[1:].add_(1), lambda: one.__setitem__(rows, 1.0), lambda: one.normal_(),
    lambda: one.uniform_(), lambda: one.bernoulli_(0.5), lambda: one.masked_fill_(one > 0, 1.0), lambda: one.lerp_(other, 0.5),
    lambda: torch._foreach_add_([one, other], 1.0), lambda: one.addcdiv_(other, other), lambda: torch.add(one, other, out=out),
    lambda: flat.resize_(8), lambda: other.transpose_(0, 1), lambda: other.view(16), lambda: one.detach(),
    lambda: norm.running_mean.add_(1), lambda: norm.load_state_dict({n: t.cpu() for n, t in norm.state_dict().items()}),
    lambda: one.sum().item(), lambda: one.clone(), lambda: torch.ones(3).to(device), lambda: torch.rand(3, device=device),
    lambda: xm.all_reduce("sum", one), trained, lambda: trained().backward(), lambda: None,
]  # fmt: skip
for number, change in enumerate(CHANGES):
    for cuts in (True, False):
        if cuts:
            torch_xla.sync()
            work.cut(here)
        for moment in ("held", "dropped"):
            held = change() if moment == "held" else None
            for _ in range(2):
                if bool(work.recorded(here).must) != counters.work_pending(here):
                    print("differs:", number, moment, cuts)
print("changes:", len(CHANGES))
