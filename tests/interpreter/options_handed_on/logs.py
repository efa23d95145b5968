# ruff: noqa
# mypy: ignore-errors


def add_options(parser):
    parser.add_argument("--norms", action="store_true")
    parser.add_argument("--losses", type=bool, default=True)
