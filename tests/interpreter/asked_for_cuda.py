"""What comes after a tensor that is made on CUDA, or moved there, is a note: no machine with XLA has it."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

XLA = torch_xla.device()
CUDA = torch.device("cuda:0")
where_it_is = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 4).to(XLA)


def made_there(batches):
    total = torch.zeros(4, device="cuda")
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely
    return total


def moved_there(batches):
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        other = torch.ones(4).to(CUDA)
        print(loss.item(), other)  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def from_xla(batches):
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.to("cuda", non_blocking=True), loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def where_there_is_one(batches):
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.item(), torch.ones(4, device=where_it_is))  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def where_one_is_asked_for(batches):
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        if torch.cuda.is_available():
            batch = batch.to("cuda")
        print(loss.item(), batch)  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def on_a_device_that_is_given(batches, device="cuda"):
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.item(), batch.to(device))  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def where_it_may_fail(batches):
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        try:
            batch = batch.to(CUDA)
        except RuntimeError:
            print("there is no CUDA")
        print(loss.item(), batch)  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def by_a_loader(batches):
    for batch in pl.MpDeviceLoader(batches, CUDA):
        print(batch)
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def by_a_loader_of_several(batches):
    for batch in pl.ParallelLoader(batches, [CUDA]).per_device_loader(CUDA):  # expect: XLA002
        print(batch)
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def by_a_loader_that_fills_xla(batches):
    for batch in pl.ParallelLoader(batches, [XLA]).per_device_loader(XLA):  # expect: XLA002
        print(batch)
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)


def a_model_moved_there(batches):
    teacher = Net().cuda()
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.item(), teacher)  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def a_tensor_made_and_moved_there(batches):
    print(torch.ones(4).cuda())
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def a_loss_moved_there(batches):
    criterion = torch.nn.MSELoss().cuda()  # it has nothing to move
    for batch in batches:
        loss = criterion(model(batch.to(XLA)), batch.to(XLA))
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def a_model_moved_if_told_so(batches, by_cuda):
    teacher = Net().cuda() if by_cuda else Net()
    for batch in batches:
        loss = model(batch.to(XLA)).sum()
        print(loss.item(), teacher)  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
