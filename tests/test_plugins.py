"""The plugin of a third party in examples/plugin: where it is installed, its rule and framework are known."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fixture_programs import FIXTURES
from xlalint.testing import assert_as_marked

PLUGIN = FIXTURES.parent / "examples" / "plugin"
READ = """\
import torch
import torch_xla

with torch_xla.step():
    loss = torch.ones(2, device="xla").sum()
    print(loss.item()){comment}
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the plugin is installed."""
    target = tmp_path_factory.mktemp("plugin")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", str(target), str(PLUGIN)], check=True, timeout=120)
    paths = [str(target), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def run(
    environment: dict[str, str], *arguments: str, folder: Path = PLUGIN
) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, *(() if arguments[0] == "-c" else ("-m",)), *arguments]
    return subprocess.run(
        line, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_its_own_tests_pass(installed: dict[str, str]) -> None:
    done = run(installed, "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "tests")
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_the_command_knows_its_rule(installed: dict[str, str], tmp_path: Path) -> None:
    explained = run(installed, "xlalint", "rule", "marker-by-hand")
    assert "ACME001" in explained.stdout
    program = (PLUGIN / "tests" / "programs" / "loop.py").read_text()
    (tmp_path / "train.py").write_text(program)
    check = ("xlalint", "check", "--select", "ACME", "--output-format", "concise", ".")
    found = run(installed, *check, folder=tmp_path)
    assert (found.returncode, found.stdout.count("[ACME001]")) == (1, 1)
    (tmp_path / "train.py").write_text(program.replace("# expect:", "# xlalint: ignore[ACME001]"))
    assert run(installed, *check, folder=tmp_path).returncode == 0


def test_a_remembered_answer_goes_when_the_plugin_does(installed: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text((PLUGIN / "tests" / "programs" / "uses_acmetrain.py").read_text())
    check = ("xlalint", "check", "--select", "XLA102", ".")
    assert run(installed, *check, folder=tmp_path).returncode == 1
    assert run(dict(os.environ), *check, folder=tmp_path).returncode == 0
    assert run(installed, *check, folder=tmp_path).returncode == 1


LISTED = """\
from importlib.metadata import entry_points
from xlalint import plugins
for group in (plugins.RULES, plugins.FRAMEWORKS, plugins.GUARD):
    known = {(each.name, each.value) for each in entry_points(group=group)}
    brought = plugins.entries(group)
    told = {(each.name, ":".join(filter(None, (each.module, each.attribute)))) for each in brought}
    assert told == known, (group, told, known)
assert any(each.name == "acme" for each in plugins.entries(plugins.RULES))
"""
ELSEWHERE = """\
import sys
class Finder:
    def find_distributions(self, context=None):
        return ()
    def find_spec(self, *given):
        return None
sys.meta_path.append(Finder())
"""


@pytest.mark.parametrize("before", ["", ELSEWHERE], ids=["in folders", "by another finder"])
def test_all_that_packages_bring_is_found(installed: dict[str, str], before: str) -> None:
    assert run(installed, "-c", before + LISTED).returncode == 0


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("  # expect: XLA101", ""),
        ("  # expect: XLA101 definite", ""),
        ("", "found and not expected: train.py:6: XLA101 definite"),
        ("  # expect: XLA101 likely", "expected and not found: train.py:6: XLA101 likely"),
        ("  # expect: XLA101, XLA204", "expected and not found: train.py:6: XLA204"),
        ("  # expect XLA101", "wants a colon"),
    ],
)
def test_a_program_must_do_what_it_states(tmp_path: Path, comment: str, message: str) -> None:
    program = tmp_path / "train.py"
    program.write_text(READ.format(comment=comment))
    if not message:
        assert_as_marked(program, rules=["XLA1", "XLA2"])
        return
    with pytest.raises((AssertionError, ValueError), match=message):
        assert_as_marked(program, rules=["XLA1", "XLA2"])
