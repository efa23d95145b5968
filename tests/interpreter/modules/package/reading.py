# ruff: noqa
# mypy: ignore-errors
def read(loss):
    return loss.item()


def read_through_star(loss):
    return loss.item()
