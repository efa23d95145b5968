# ruff: noqa
# mypy: ignore-errors
"""A nested function calls the one beside it, which sees what the function around both binds."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp

device = torch_xla.device()


def launched_by_way_of_another():
    torch.manual_seed(3)  # expect: XLA707
    network = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout())

    def run():
        model = network.to(torch_xla.device())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loss = model(torch.ones(2, 4, device=torch_xla.device())).sum()
        loss.backward()
        optimizer.step()  # expect: XLA506
        torch_xla.sync()

    def replica(rank):
        run()

    xmp.spawn(replica)  # expect: XLA002


def called_by_one_that_calls_one():
    model = torch.nn.Linear(4, 4).to(device)

    def forward(x):
        return model(x)

    def score(x):
        return forward(x).sum()

    def tell(x):
        loss = score(x)
        print(loss.item())  # state: heavy
        return loss

    def again(x):
        return tell(x)

    kept = again(torch.ones(2, 4, device=device))  # expect: XLA102
    torch_xla.sync()


def it_has_one_of_that_name_itself():
    model = torch.nn.Linear(4, 4)

    def forward(x):
        return model(x)

    def score(x, model=None):
        loss = forward(x)
        print(loss)  # state: none
        model = torch.nn.Linear(4, 4).to(device)
        loss = forward(x)
        print(loss)  # state: none
        return model

    score(torch.ones(2, 4))
