# ruff: noqa
# mypy: ignore-errors
"""What an unknown callee gets, it may have summed: gradients, from backward on; and what is no matter of a cut."""

import framework
import torch
import torch_xla
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(8)


def got_the_model_before_backward(index):
    model.to("xla")
    framework.prepare(model)
    model(x.to("xla")).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508
    xm.optimizer_step(optimizer)
    torch_xla.sync()


def got_the_model_after_backward(index):
    model.to("xla")
    model(x.to("xla")).sum().backward()
    framework.log(model)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
    xm.optimizer_step(optimizer)
    torch_xla.sync()


def got_the_model_on_the_first_way(index):
    model.to("xla")
    model(x.to("xla")).sum().backward()
    if framework.flag:
        framework.log(model)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
    xm.optimizer_step(optimizer)
    torch_xla.sync()


def got_the_model_on_the_second_way(index):
    model.to("xla")
    model(x.to("xla")).sum().backward()
    if framework.flag:
        pass
    else:
        framework.log(model)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508 likely
    xm.optimizer_step(optimizer)
    torch_xla.sync()


def clipped(model):
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508
    xm.optimizer_step(optimizer)
    torch_xla.sync()


def helped(index):
    model.to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x.to("xla")).sum().backward()
    clipped(model)
    model(x.to("xla")).sum().backward()
    framework.log(model)
    torch_xla.sync()  # expect: XLA205
    clipped_after_a_cut(model, optimizer)
    model(x.to("xla")).sum().backward()
    torch_xla.sync()  # expect: XLA205
    clipped_after_a_cut(model, optimizer)


def clipped_after_a_cut(model, optimizer):
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508
    xm.optimizer_step(optimizer)
    torch_xla.sync()


def got_the_model_of_a_file(index):
    model.to("xla")
    framework.prepare(model)
    if index == 0:
        torch.save(model.state_dict(), "model.pt")  # expect: XLA601


def got_the_model_of_a_caller(index):
    model.to("xla")
    framework.prepare(model)
    save(model)


def save(model):
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601


if __name__ == "__main__":
    torch_xla.launch(got_the_model_before_backward)
    torch_xla.launch(got_the_model_after_backward)
    torch_xla.launch(got_the_model_on_the_first_way)
    torch_xla.launch(got_the_model_on_the_second_way)
    torch_xla.launch(helped)
    torch_xla.launch(got_the_model_of_a_file)
    torch_xla.launch(got_the_model_of_a_caller)
