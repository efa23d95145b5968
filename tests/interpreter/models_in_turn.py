"""A loop over several models trains each of them once in a step: the loop around it ends that."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def build(device):
    return torch.nn.Linear(4, 4).to(device)


def models_in_turn(index):
    device = torch_xla.device()
    nets = [build(device) for _ in range(3)]
    opts = [torch.optim.AdamW(net.parameters(), lr=0.1) for net in nets]
    for i in range(10):
        for net, opt in zip(nets, opts):
            opt.zero_grad()
            net(torch.ones(4, 4, device=device)).sum().backward()
            xm.optimizer_step(opt)
        torch_xla.sync()  # expect: XLA201


def never_ends(index):
    device = torch_xla.device()
    nets = [build(device) for _ in range(3)]
    opts = [torch.optim.AdamW(net.parameters(), lr=0.1) for net in nets]
    for i in range(10):  # expect: XLA202
        for net, opt in zip(nets, opts):
            opt.zero_grad()
            net(torch.ones(4, 4, device=device)).sum().backward()
            xm.optimizer_step(opt)


def each_trained_by_itself(index):
    device = torch_xla.device()
    for net in [build(device) for _ in range(3)]:
        opt = torch.optim.AdamW(net.parameters(), lr=0.1)
        for i in range(10):  # expect: XLA202
            opt.zero_grad()
            net(torch.ones(4, 4, device=device)).sum().backward()
            xm.optimizer_step(opt)
        torch_xla.sync()


if __name__ == "__main__":
    torch_xla.launch(models_in_turn)  # expect: XLA517 likely
    torch_xla.launch(never_ends)  # expect: XLA517 likely
    torch_xla.launch(each_trained_by_itself)  # expect: XLA517 likely
