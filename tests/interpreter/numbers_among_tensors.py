# ruff: noqa
# mypy: ignore-errors
"""Of numbers that are logged some are tensors of the device: a loop over all of them reads those."""

import torch
import torch_xla


def shown(values):
    return {key: float(value) if torch.is_tensor(value) else value for key, value in values.items()}


def written(writer, step, **values):
    for name, value in values.items():
        writer.add_scalar(name, value, step)


def filtered(values):
    return [value.item() for value in values.values() if isinstance(value, torch.Tensor)]


def as_text(values):
    return ", ".join(f"{key}: {value:.3f}" for key, value in values.items())


def by_key(values):
    for key in values:
        print(key, values[key])


def of_a_list(values):
    for name, value in values:
        print(name, float(value))


def numbers_only(values):
    print([value for value in values.values() if isinstance(value, int)])
    for key, value in values.items():
        if not torch.is_tensor(value):
            print(key, value)


def named(values):
    print(
        list(values),
        {key: value.detach() if torch.is_tensor(value) else value for key, value in values.items()}.keys(),
    )


def train(writer, batches):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, x in enumerate(batches):
        optimizer.zero_grad()
        loss = model(x.to(device)).square().mean()
        loss.backward()
        optimizer.step()
        values = {"step": step, "loss": loss}
        shown({"step": step, "loss": loss})  # expect: XLA102
        written(writer, step, rate=0.1, loss=loss)  # expect: XLA102 likely
        filtered(dict(step=step, loss=loss))  # expect: XLA102
        as_text(values)  # expect: XLA102
        by_key(values)  # expect: XLA102
        of_a_list([("step", step), ("loss", loss)])  # expect: XLA102
        numbers_only(values)
        named(values)
        torch_xla.sync()  # expect: XLA201
        as_text({"step": step, "loss": loss})
