"""What a loop puts into a mapping is saved with it: by the master alone, while a step waits on all replicas."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def save_states(nets, keys):
    states = {}
    for net, key in zip(nets, keys):
        states[key] = net.state_dict()
    torch.save(states, "nets.pt")  # expect: XLA601


def save_one_or_several(net, key):
    nets = net if isinstance(net, list) else [net]
    keys = key if isinstance(key, list) else [key]
    states = {}
    for each, name in zip(nets, keys):
        states[name] = each.state_dict()
    torch.save(states, "nets.pt")  # expect: XLA601


def save_of_host(nets, keys):
    states = {}
    for net, key in zip(nets, keys):
        states[key] = {name: value.cpu() for name, value in net.state_dict().items()}
    torch.save(states, "nets.pt")


def save_numbers(nets, keys):
    numbers = {}
    for net, key in zip(nets, keys):
        numbers[key] = len(list(net.parameters()))
    torch.save(numbers, "numbers.pt")


def nets():
    device = torch_xla.device()
    return torch.nn.Linear(4, 4).to(device), torch.nn.Linear(4, 4).to(device), torch.ones(4, 4, device=device)


def of_several(index):
    body, head, x = nets()
    optimizer = torch.optim.Adam(body.parameters())
    for number in range(10):
        optimizer.zero_grad()
        head(body(x)).mean().backward()
        xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            save_states([body, head], ["body", "head"])  # expect: XLA501
        torch_xla.sync()  # expect: XLA201


def of_one(index):
    body, head, x = nets()
    optimizer = torch.optim.Adam(body.parameters())
    for number in range(10):
        optimizer.zero_grad()
        head(body(x)).mean().backward()
        xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            save_one_or_several(body, "body")  # expect: XLA501
            save_one_or_several([body, head], ["body", "head"])
        torch_xla.sync()  # expect: XLA201


def after_a_sync(index):
    body, head, x = nets()
    optimizer = torch.optim.Adam(body.parameters())
    for number in range(10):
        optimizer.zero_grad()
        head(body(x)).mean().backward()
        xm.optimizer_step(optimizer)
        torch_xla.sync()  # expect: XLA201
        if xm.is_master_ordinal():
            save_of_host([body, head], ["body", "head"])
            save_numbers([body, head], ["body", "head"])
            save_one_or_several([body, head], ["body", "head"])


if __name__ == "__main__":
    torch_xla.launch(of_several)  # expect: XLA517 likely
    torch_xla.launch(of_one)  # expect: XLA517 likely
    torch_xla.launch(after_a_sync)  # expect: XLA517 likely
