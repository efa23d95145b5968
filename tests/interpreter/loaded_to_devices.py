"""PyTorch restores what it loads on the CPU and on GPUs: told to do so on an XLA device, it raises."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def by_name(path):
    model.load_state_dict(torch.load(path, map_location=device))  # expect: XLA606


def by_place(path):
    return torch.load(path, device)  # expect: XLA606


def by_a_text(path):
    return torch.load(path, map_location="xla:0")  # expect: XLA606


def to_the_host(path):
    model.load_state_dict(torch.load(path, map_location="cpu"))


def to_where_it_was(path):
    return torch.load(path), torch.load(path, map_location=lambda storage, place: storage)


def to_some_device(path, somewhere):
    return torch.load(path, map_location=somewhere)


def to_the_device_of_others(path):
    if torch.cuda.is_available():
        return torch.load(path, map_location=torch.device("cuda"))
    return torch.load(path, map_location="cpu").to(device)


class Trainer:
    def __init__(self, net):
        self.device = torch_xla.device()
        self.net = net.to(self.device)

    def resume(self, path):
        checkpoint = torch.load(path, map_location=self.device, weights_only=True)  # expect: XLA606
        self.net.load_state_dict(checkpoint["net"])


def if_there_is_one(path=None):
    if path != None:
        return torch.load(path, map_location=device)  # quiet: nobody gives one
    return None


def unless_there_is_none(path):
    if path == None:
        return None
    return torch.load(path, map_location=device)  # expect: XLA606


by_name("model.pt")
if_there_is_one()
unless_there_is_none("model.pt")
Trainer(torch.nn.Linear(4, 4)).resume("model.pt")
