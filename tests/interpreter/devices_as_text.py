# ruff: noqa
# mypy: ignore-errors
"""Who first asks whether a device is given as text, and then what that says, has it as text where it is XLA's."""

import torch
import torch_xla


class Trainer:
    def __init__(self, config):
        self.args = config
        self.device = torch_xla.device()
        self.model = torch.nn.Linear(4, 4).to(self.device)

    def by_its_beginning(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if isinstance(self.args.device, str) and self.args.device.startswith("xla"):
                pass
            else:
                print(y.item())
            torch_xla.sync()  # expect: XLA201

    def by_all_of_it(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if not (isinstance(self.args.device, str) and self.args.device == "xla"):
                print(y.item())
            torch_xla.sync()  # expect: XLA201

    def where_it_is_of_xla(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if isinstance(self.args.device, str) and self.args.device.startswith("xla"):
                print(y.item())  # expect: XLA102
            torch_xla.sync()  # expect: XLA201

    def of_something_else(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if isinstance(self.args.name, str) and self.args.name.startswith("xla"):
                pass
            else:
                print(y.item())  # expect: XLA102
            torch_xla.sync()  # expect: XLA201

    def of_another_text(self, batches):
        for x in batches:
            y = self.model(x.to(self.device)).sum()
            if isinstance(self.args.name, str) and self.args.device.startswith("xla"):
                pass
            else:
                print(y.item())  # expect: XLA102
            torch_xla.sync()  # expect: XLA201
