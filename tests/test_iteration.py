"""A loop is judged by what it goes over in the end, whatever passes the elements on.

Each program of tests/iteration holds loops `for batch in loader:`. In every form below, all of them get
the diagnostics that their comments ask for, on the same lines and with the same certainty.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interpreter_programs import expected, found

PROGRAMS = sorted((Path(__file__).parent / "iteration").glob("*.py"))
IMPORTS = (
    "import itertools; from functools import partial; from itertools import chain, cycle, islice; "
    "from tqdm import tqdm, trange; from elsewhere import another, done"
)
FORMS = {
    "bare": "for batch in LOADER:",
    "enumerate": "for i, batch in enumerate(LOADER):",
    "enumerate from one": "for i, batch in enumerate(LOADER, 1):",
    "enumerate from a start": "for i, batch in enumerate(LOADER, start=7):",
    "enumerate, not unpacked": "for pair in enumerate(LOADER):\nbatch = pair[1]",
    "enumerate in a list": "for i, batch in list(enumerate(LOADER)):",
    "tqdm": "for batch in tqdm(LOADER):",
    "tqdm with a text": "for batch in tqdm(LOADER, desc='epoch'):",
    "tqdm by keyword": "for batch in tqdm(iterable=LOADER):",
    "tqdm given a name": "for batch in (bar := tqdm(LOADER)):\nbar.set_description('epoch')",
    "zip, first": "for batch, _ in zip(LOADER, range(5)):",
    "zip, second": "for _, batch in zip(range(5), LOADER):",
    "zip with another unknown": "for batch, _ in zip(LOADER, another):",
    "zip of itself": "for batch, _ in zip(LOADER, LOADER):",
    "islice": "for batch in islice(LOADER, 10):",
    "islice by its module": "for batch in itertools.islice(LOADER, 2, 10):",
    "iter": "for batch in iter(LOADER):",
    "list": "for batch in list(LOADER):",
    "tuple": "for batch in tuple(LOADER):",
    "reversed": "for batch in reversed(LOADER):",
    "sorted": "for batch in sorted(LOADER, key=len):",
    "chain": "for batch in chain(LOADER, LOADER):",
    "cycle": "for batch in cycle(LOADER):",
    "filter": "for batch in filter(None, LOADER):",
    "map": "for batch in map(lambda batch: batch, LOADER):",
    "enumerate of tqdm": "for i, batch in enumerate(tqdm(LOADER)):",
    "tqdm of enumerate": "for i, batch in tqdm(enumerate(LOADER)):",
    "tqdm of enumerate of zip": "for i, (_, batch) in tqdm(enumerate(zip(range(5), LOADER), 1), total=5):",
    "enumerate of enumerate": "for i, (j, batch) in enumerate(enumerate(LOADER)):",
    "generator expression": "for batch in (one for one in LOADER):",
    "generator expression with a test": "for batch in (one for one in LOADER if one is not None):",
    "generator expression of pairs": "for i, batch in ((i, one) for i, one in enumerate(LOADER)):",
    "generator expression of two loops": "for batch in (one for epoch in range(3) for one in LOADER):",
    "generator function": "for batch in passed_on(LOADER):",
    "generator function with a loop": "for batch in given_one_by_one(LOADER):",
    "items": "for key, batch in LOADER.items():",
    "values": "for batch in LOADER.values():",
}
GENERATORS = """

def passed_on(batches):
    yield from batches


def given_one_by_one(batches):
    for one in batches:
        yield one
"""
# What stands in memory is iterated without the loader, loaders are no mappings, and beside an unknown
# a loader of torch may be the one that is cut by the other.
ONLY_FOR_UNKNOWN = {
    "list", "tuple", "sorted", "reversed", "enumerate in a list", "items", "values",
    "zip with another unknown",
}  # fmt: skip


def written(program: Path, form: str) -> str:
    """The program with its loops in another form; every line keeps its number."""

    def loop(match: re.Match[str]) -> str:
        header, _, first = FORMS[form].replace("LOADER", match[2]).partition("\n")
        return f"{match[1]}{header}{match[3]}\n{match[4]}{first or 'pass'}"

    text = program.read_text().replace("import torch\n", f"import torch; {IMPORTS}\n", 1) + GENERATORS
    return re.sub(r"( +)for batch in ([\w.]+):(.*)\n( +)pass", loop, text)


CASES = [
    pytest.param(program, form, id=f"{program.stem}: {form}")
    for program in PROGRAMS
    for form in FORMS
    if form not in ONLY_FOR_UNKNOWN or program.stem.startswith("unknown")
]


@pytest.mark.parametrize(("program", "form"), CASES)
def test_a_loop_is_judged_by_what_it_goes_over(tmp_path: Path, program: Path, form: str) -> None:
    changed = tmp_path / program.name
    changed.write_text(written(program, form))
    wanted, came = expected(program), found(changed)
    assert {"missed": sorted(wanted - came), "false": sorted(came - wanted)} == {"missed": [], "false": []}
