# ruff: noqa
# mypy: ignore-errors
"""A few models and optimizers that stand in a mapping or a list are each what they are, in whatever goes over them."""

import torch
import torch_xla


def given_by_name(**parts):
    state = {name: part.state_dict() for name, part in parts.items()}
    torch.save(state, "state.pt")  # expect: XLA601


def given_as_a_mapping(parts):
    state = {name: part.state_dict() for name, part in parts.items()}
    state["epoch"] = 3
    torch.save(state, "state.pt")  # expect: XLA601


def in_a_loop(parts):
    state = {}
    for name, part in parts.items():
        state[name] = part.state_dict()
    torch.save(state, "state.pt")  # expect: XLA601


class Keeper:
    def __init__(self, path, **parts):
        self.path, self.parts = path, parts

    def save(self):
        state = {name: part.state_dict() for name, part in self.parts.items()}
        torch.save(state, self.path)  # expect: XLA601


def in_a_list(model, optimizer):
    torch.save([part.state_dict() for part in (model, optimizer)], "state.pt")  # expect: XLA601


def on_the_host(parts):
    torch.save({name: part.state_dict() for name, part in parts.items()}, "state.pt")


def chosen(parts):
    """Nobody knows whether the model is among them."""
    torch.save({name: part.state_dict() for name, part in parts.items() if name in wanted}, "state.pt")


def chosen_of_models(parts):
    """Whichever of them it is, it is on the device."""
    torch.save({name: part.state_dict() for name, part in parts.items() if name in wanted}, "state.pt")  # expect: XLA601


def moved(parts):
    state = {
        name: {key: value.cpu() for key, value in part.state_dict().items()} for name, part in parts.items()
    }
    torch.save(state, "state.pt")


def each_is_what_it_is(parts, batches):
    """Of each, what it is for is called."""
    for x in batches:
        with torch_xla.step():
            for part in parts:
                part.zero_grad()
            loss = parts[0](x).sum()
            loss.backward()
            parts[1].step()
        print(loss.item())


wanted = input().split()
model = torch.nn.Linear(2, 2).to("xla")
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
given_by_name(model=model, optimizer=optimizer)
given_as_a_mapping({"optimizer": optimizer, "model": model})
in_a_loop({"model": model, "optimizer": optimizer, "scheduler": scheduler})
Keeper("state.pt", model=model, scheduler=scheduler).save()
in_a_list(model, optimizer)
on_the_host({"model": torch.nn.Linear(2, 2), "scheduler": scheduler})
chosen({"model": model, "scheduler": scheduler})
chosen_of_models({"model": model, "head": torch.nn.Linear(2, 2).to("xla")})
moved({"model": model})
each_is_what_it_is([model, optimizer], [torch.randn(4, 2, device="xla")])
