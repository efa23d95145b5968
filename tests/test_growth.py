"""What a check costs grows with the lines, not with the ways through them: counted, never timed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from shutil import copytree

import pytest

from growth import FAMILIES
from xlalint.analysis.engine import Program
from xlalint.analysis.interpreter import ATTRIBUTES
from xlalint.checker import check
from xlalint.configuration import Configuration, Local
from xlalint.judging import Judge
from xlalint.program.project import Project
from xlalint.registry import all_rules
from xlalint.settings import SettingsFinder
from xlalint.sources.file import SourceFile, read
from xlalint.versions import DEFAULT_TARGET

LINES = 600

MOST_PER_LINE = {"contexts": 1.2, "passes": 4.0, "bounds": 0.4, "occurrences": 4.0}
"""Ways through these programs are counted in millions."""
MOST_IN_WEBS = {**MOST_PER_LINE, "contexts": 1.6, "bounds": 0.45}
"""There each function is entered on two ways around."""


def program(source: str, folder: Path) -> Program:
    """A program of one file, of which everything is told that a rule judges."""
    path = folder / "program.py"
    path.write_text(source)
    file = read(path)
    assert isinstance(file, SourceFile)
    kinds = Judge(rule(DEFAULT_TARGET) for rule in all_rules()).kinds
    return Program([file], kinds, Configuration(lambda _: Local(roots=(folder,))))


def counts(source: str, folder: Path) -> Counter[str]:
    """What the analysis of a program counts, with the events that it tells and the program's lines."""
    analyzed = program(source, folder)
    results = [result for _, result, _ in analyzed.analyze() if result is not None]
    told = {"occurrences": sum(len(result.occurrences) for result in results), "lines": source.count("\n")}
    return analyzed.statistics + Counter(told)


@pytest.mark.parametrize("family", FAMILIES)
def test_twice_the_lines_cost_twice_as_much(family: str, tmp_path: Path) -> None:
    one, two = (counts(FAMILIES[family](lines), tmp_path) for lines in (LINES, 2 * LINES))
    growth = two["lines"] / one["lines"]
    beyond = {what: (one[what], two[what]) for what in one if two[what] > 1.15 * growth * one[what] + 50}
    assert beyond == {}
    most = MOST_IN_WEBS if family == "web" else MOST_PER_LINE
    per_line = {what: two[what] / two["lines"] for what in most}
    assert {what: cost for what, cost in per_line.items() if cost > most[what]} == {}


def test_who_enters_a_web_of_calls_is_served_by_what_it_did_for_others(tmp_path: Path) -> None:
    one = FAMILIES["web"](300)
    entering = "def enter{n}():\n    f0(torch.randn(2, device=torch_xla.device()))\n\n\n"
    more = one + "\n\n" + "".join(entering.replace("{n}", str(number)) for number in range(20))
    alone, beside = counts(one, tmp_path)["contexts"], counts(more, tmp_path)["contexts"]
    assert alone > 400
    assert beside <= alone + 3 * 20


SEARCHED = """\
import torch_xla


def place(names):
    for number, name in enumerate(names):
        if name == "last":
            return number
    return 0


def main(model, optimizer, batches):
    device = torch_xla.device()
    place([])
    model.to(device)
    for batch in batches:
        loss = model(batch.to(device)).sum()
        place([])
        loss.backward()
        place([])
        optimizer.step()
        place([])
        torch_xla.sync()
        place([])
"""


def test_a_loop_that_has_nothing_to_do_with_the_engine_is_looked_at_once(tmp_path: Path) -> None:
    analyzed = program(SEARCHED, tmp_path)
    for _ in analyzed.analyze():
        pass
    entered = Counter(function.name for _, function, _ in analyzed.interpreter.contexts())
    assert entered["place"] == 1


TRIED = """\
import torch
import torch_xla


def use(tensor):
    return tensor * 2


def step(names):
    torch_xla.sync()
    return use(torch.ones(3, device=torch_xla.device()))


def main():
    with torch.no_grad():
        step([])
"""


def test_what_does_something_is_not_run_to_its_end_to_see_if_it_does_nothing(tmp_path: Path) -> None:
    analyzed = program(TRIED, tmp_path)
    for _ in analyzed.analyze():
        pass
    entered = Counter(function.name for _, function, _ in analyzed.interpreter.contexts())
    assert entered["use"] == 1


SETTLED = """\
import torch_xla


class Meter:
    def __init__(self):
        self.total = []

    def reset(self):
        self.total = [number for number in range(3)]

    def note(self, name):
        self.name = name
        self.total = [name]


def main(meter: Meter):
    print(meter.name, meter.total, torch_xla.device())
"""


def test_methods_are_run_for_attributes_that_are_not_known_yet(tmp_path: Path) -> None:
    analyzed = program(SETTLED, tmp_path)
    for _ in analyzed.analyze():
        pass
    tabulated = {
        function.name for _, function, key in analyzed.interpreter.contexts() if key[0] == ATTRIBUTES
    }
    assert tabulated == {"__init__", "note"}


REGISTERING = Path(__file__).parent / "interpreter" / "registered_across_a_package"


@pytest.mark.parametrize("parts", [3, 30])
def test_parts_of_a_package_that_register_nothing_are_looked_at_once_and_not_parsed(
    parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copytree(REGISTERING, tmp_path, dirs_exist_ok=True)
    package = tmp_path / "engine"
    with (package / "__init__.py").open("a") as imports:
        for number in range(parts):
            imports.write(f"from . import part{number}\n")
            (package / f"part{number}.py").write_text("class Part:\n    pass\n")
    asked: Counter[Path] = Counter()
    says = Project.says

    def counted(project: Project, path: Path, word: str) -> bool:
        asked[path] += path.name.startswith("part")
        return says(project, path, word)

    monkeypatch.setattr(Project, "says", counted)
    report = check([tmp_path], SettingsFinder(isolated=True))
    assert report.statistics["modules"] == 5
    assert 0 < asked.total() <= 4 * parts  # at most once for each module of the program
