# select: XLA201, XLA102
"""Two steps in one iteration, of a generator and of what judges it, each with a marker and a read."""

import torch
import torch_xla


def train(judge, maker, judge_optimizer, maker_optimizer, batches, device):
    losses = []
    for real in batches:
        real = real.to(device)

        with torch_xla.step():
            # the judge
            judge_optimizer.zero_grad()
            fake = maker(torch.randn(len(real), 4).to(device))
            loss = judge(fake.detach()).mean() - judge(real).mean()
            loss.backward()
            judge_optimizer.step()
        losses.append(loss.item())

        with torch_xla.step():
            # the maker
            maker_optimizer.zero_grad()
            cost = -judge(maker(torch.randn(len(real), 4).to(device))).mean()
            cost.backward()
            maker_optimizer.step()
        losses.append(cost.item())
    return losses
