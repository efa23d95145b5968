# ruff: noqa
# mypy: ignore-errors
"""Nothing of torch_xla."""


class Average:
    def __init__(self):
        self.total = self.count = 0

    def update(self, number):
        self.total += number
        self.count += 1
