# ruff: noqa
# mypy: ignore-errors
"""Which steps of optimizers apply the gradients of one replica."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from somewhere import all_gradients

device = torch_xla.device()


class Pair:
    def __init__(self):
        self.model = torch.nn.Linear(4, 4).to(device)
        self.critic = torch.nn.Linear(4, 4).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.other = torch.optim.SGD(self.critic.parameters(), lr=0.1)

    def compute(self, x):
        self.model(x).sum().backward()


def summed_by_hand(index):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    xm.all_reduce("sum", [parameter.grad for parameter in pair.model.parameters()])
    pair.optimizer.step()  # holds: gradients.others = frozenset({<Gradient.REDUCED: 'reduced'>})


def perhaps_summed(index):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    xm.all_reduce("sum", all_gradients)
    pair.optimizer.step()  # holds: gradients.met = True


def perhaps_summed_in_one_arm(index, summed):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    if summed:
        xm.all_reduce("sum", all_gradients)
    else:
        print("alone")
    pair.optimizer.step()


def perhaps_summed_in_the_other_arm(index, alone):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    if alone:
        print("alone")
    else:
        xm.all_reduce("sum", all_gradients)
    pair.optimizer.step()


def perhaps_summed_before_a_call(index):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    xm.all_reduce("sum", all_gradients)
    step_of(pair.optimizer)


def summed_by_hand_in_one_arm(index, summed):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    if summed:
        xm.all_reduce("sum", [parameter.grad for parameter in pair.model.parameters()])
    else:
        print("alone")
    pair.optimizer.step()


def step_of(optimizer):
    optimizer.step()  # expect: XLA506


def summed_by_hand_before_a_call(index):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    xm.all_reduce("sum", [parameter.grad for parameter in pair.model.parameters()])
    step_of(pair.optimizer)


def never_summed_before_a_call(index):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    step_of(pair.optimizer)


def summed_by_hand_in_the_other_arm(index, summed):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    if summed:
        print("alone")
    else:
        xm.all_reduce("sum", [parameter.grad for parameter in pair.model.parameters()])
    pair.optimizer.step()


def met_where_nothing_is_sent(index):
    pair = Pair()
    pair.compute(torch.ones(4, 4, device=device))
    xm.rendezvous("computed")
    xm.save(pair.model.state_dict(), "model.pt")
    pair.optimizer.step()  # expect: XLA506


def met_to_share_the_loss(index):
    pair = Pair()
    x = torch.ones(4, 4, device=device)
    loss = pair.model(x).sum()
    loss.backward()
    xm.all_reduce("sum", [loss])
    pair.optimizer.step()  # expect: XLA506
    loss = pair.model(x).sum()
    loss.backward()
    shown = xm.mesh_reduce("loss", loss.item(), sum)  # expect: XLA102
    pair.optimizer.step()  # expect: XLA506
    loss = pair.model(x).sum()
    loss.backward()
    shown = xm.all_gather(loss.detach().unsqueeze(0))
    pair.optimizer.step()  # expect: XLA506


def met_to_share_the_loss_and_gradients(index):
    pair = Pair()
    loss = pair.model(torch.ones(4, 4, device=device)).sum()
    loss.backward()
    gradients = [parameter.grad for parameter in all_gradients]
    xm.all_reduce("sum", [loss, *gradients])
    pair.optimizer.step()


def wrapped_by_a_library(index):
    pair = Pair()
    model = torch.nn.parallel.DistributedDataParallel(pair.model)
    model(torch.ones(4, 4, device=device)).sum().backward()
    pair.optimizer.step()


def wrapped_in_one_arm(index, wraps):
    pair = Pair()
    model = pair.model
    if wraps:
        model = torch.nn.parallel.DistributedDataParallel(model)
    model(torch.ones(4, 4, device=device)).sum().backward()
    pair.optimizer.step()


def one_of_two_models(index, wide):
    model = (torch.nn.Linear(4, 8) if wide else torch.nn.Linear(4, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(4, 4, device=device)).sum().backward()
    optimizer.step()  # expect: XLA506


def launches():
    torch_xla.launch(summed_by_hand)
    torch_xla.launch(summed_by_hand_in_one_arm, args=(int(input()),))
    torch_xla.launch(summed_by_hand_in_the_other_arm, args=(int(input()),))
    torch_xla.launch(summed_by_hand_before_a_call)
    torch_xla.launch(perhaps_summed_before_a_call)
    torch_xla.launch(never_summed_before_a_call)
    torch_xla.launch(perhaps_summed)
    torch_xla.launch(perhaps_summed_in_one_arm, args=(int(input()),))
    torch_xla.launch(perhaps_summed_in_the_other_arm, args=(int(input()),))
    torch_xla.launch(met_where_nothing_is_sent)
    torch_xla.launch(met_to_share_the_loss)
    torch_xla.launch(met_to_share_the_loss_and_gradients)
    torch_xla.launch(wrapped_by_a_library)
    torch_xla.launch(wrapped_in_one_arm, args=(int(input()),))
    torch_xla.launch(one_of_two_models, args=(int(input()),))
