"""`xlalint check --fix` and its kin, and `xlalint migrate`: what changes, what is printed, exit codes."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from xlalint import checker
from xlalint.cli import command
from xlalint.fixing.journal import Begun, digest

OLD = """\
import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8).to(device)).square().mean()
    loss.backward()
    optimizer.step()
    xm.mark_step()
    print(loss.item())
"""

SAFE = """\
import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8).to(device)).square().mean()
    loss.backward()
    optimizer.step()
    torch_xla.sync()
    print(loss.item())
"""

UNSAFE = """\
import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for _ in range(3):
    with torch_xla.step():
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8).to(device)).square().mean()
        loss.backward()
        optimizer.step()
    print(loss.item())
"""

CLOSED = """\
import torch_xla
import torch_xla.distributed.parallel_loader as pl

loader = pl.ParallelLoader([], [torch_xla.device()])
for batch in loader.per_device_loader(torch_xla.device()):
    pass
loader.close()
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(OLD)
    return path


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=stdin, catch_exceptions=False)


# What changes ------------------------------------------------------------------------------------


def test_check_alone_changes_nothing_and_says_what_fix_would(file: Path) -> None:
    result = run("check")
    assert file.read_text() == OLD
    assert " = fix: Use `torch_xla.sync` [--fix]" in result.stdout
    assert "Of these, `--fix` may fix 2, and `--unsafe-fixes` 1 more." in result.stdout


def test_fix_applies_what_is_safe(file: Path) -> None:
    result = run("check", "--fix")
    assert file.read_text() == SAFE
    assert "Fixed 2 diagnostics in 1 file." in result.stderr
    assert "XLA201" in result.stdout
    assert result.exit_code == 0


def test_libcst_is_not_loaded_where_only_names_change(file: Path) -> None:
    program = (
        "import sys; from xlalint.cli import command\n"
        "command(['check', '--fix'], standalone_mode=False); sys.exit('libcst' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=file.parent, stdout=-3).returncode == 0
    assert file.read_text() == SAFE


def test_unsafe_fixes_apply_the_rest(file: Path) -> None:
    run("check", "--fix", "--unsafe-fixes")
    assert file.read_text() == UNSAFE


def test_a_second_run_changes_nothing(file: Path) -> None:
    run("check", "--fix", "--unsafe-fixes")
    result = run("check", "--fix", "--unsafe-fixes")
    assert file.read_text() == UNSAFE
    assert "Nothing to fix." in result.stderr


def test_a_fix_that_the_code_does_not_allow_is_no_longer_promised(file: Path) -> None:
    file.write_text(CLOSED)
    assert "Of these, `--fix --unsafe-fixes` may fix 1." in run("check").stdout
    result = run("check", "--fix", "--unsafe-fixes")
    assert file.read_text() == CLOSED
    assert result.stderr.splitlines() == [
        "The code of 1 diagnostic does not allow the fix; `--show-fixes` says why."
    ]
    assert "may fix" not in result.stdout
    assert "[--fix" not in result.stdout
    assert "= not fixed: it is asked for more than the loader of one device" in result.stdout
    assert "[--fix" not in run("check", "--fix", "--unsafe-fixes", "--output-format", "concise").stdout
    assert "it is asked for more than the loader of one device" in (
        run("check", "--fix", "--unsafe-fixes", "--show-fixes").stderr
    )


def test_what_a_comment_suppresses_stays(file: Path) -> None:
    file.write_text(OLD.replace("xm.mark_step()", "xm.mark_step()  # xlalint: ignore"))
    run("check", "--fix", "--unsafe-fixes")
    assert "    xm.mark_step()  # xlalint: ignore\n" in file.read_text()


def test_only_files_that_are_checked_change(file: Path) -> None:
    other = file.with_name("other.py")
    other.write_text(OLD)
    run("check", "--fix", "train.py")
    assert file.read_text() == SAFE
    assert other.read_text() == OLD


def test_an_import_that_another_file_takes_stays(file: Path) -> None:
    file.with_name("other.py").write_text("from train import (\n    device,\n    xm,  # for the tests\n)\n")
    run("check", "--fix")
    assert "import torch_xla.core.xla_model as xm\n" in file.read_text()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('unfixable = ["XLA002"]', OLD),
        ('fixable = ["XLA1"]', OLD),
        ('fixable = ["XLA002"]', SAFE),
        ('extend-unsafe-fixes = ["XLA002"]', OLD),
        ('extend-safe-fixes = ["XLA201"]', UNSAFE),
    ],
)
def test_settings_say_what_may_be_fixed(file: Path, settings: str, expected: str) -> None:
    file.with_name("xlalint.toml").write_text(f"{settings}\n")
    run("check", "--fix")
    assert file.read_text() == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (OLD.encode().replace(b"\n", b"\r\n"), SAFE.encode().replace(b"\n", b"\r\n")),
        (b"\xef\xbb\xbf" + OLD.encode(), b"\xef\xbb\xbf" + SAFE.encode()),
        (OLD.encode().replace(b"    ", b"\t"), SAFE.encode().replace(b"    ", b"\t")),
        (
            b"# coding: latin-1\n# caf\xe9\n" + OLD.encode(),
            b"# coding: latin-1\n# caf\xe9\n" + SAFE.encode(),
        ),
        (OLD.encode().rstrip(b"\n"), SAFE.encode().rstrip(b"\n")),
    ],
    ids=["CRLF", "byte order mark", "tabs", "latin-1", "no last line end"],
)
def test_the_rest_of_a_file_stays_byte_for_byte(file: Path, before: bytes, after: bytes) -> None:
    file.write_bytes(before)
    run("check", "--fix")
    assert file.read_bytes() == after


# What is shown -----------------------------------------------------------------------------------


def test_diff_shows_and_changes_nothing(file: Path) -> None:
    result = run("check", "--diff")
    assert file.read_text() == OLD
    assert result.exit_code == 1
    assert "--- train.py\n+++ train.py\n" in result.stdout
    assert "-    xm.mark_step()\n+    torch_xla.sync()\n" in result.stdout
    assert "Would fix 2 diagnostics in 1 file." in result.stderr


def test_the_diff_can_be_applied(file: Path) -> None:
    result = run("check", "--diff", "--unsafe-fixes")
    subprocess.run(["patch", "-p0"], input=result.stdout, text=True, cwd=file.parent, check=True)
    assert file.read_text() == UNSAFE


@pytest.mark.parametrize("encoding", ["latin-1", "cp1251", "shift_jis"])
def test_the_diff_of_a_file_in_another_encoding_can_be_applied(file: Path, encoding: str) -> None:
    comment = {"latin-1": "déjà vu", "cp1251": "шаг", "shift_jis": "学習"}[encoding]
    before = f"# coding: {encoding}\n" + OLD.replace("xm.mark_step()", f"xm.mark_step()  # {comment}")
    file.write_bytes(before.encode(encoding))
    result = run("check", "--diff")
    subprocess.run(["patch", "-p0"], input=result.stdout_bytes, cwd=file.parent, check=True)
    after = f"# coding: {encoding}\n" + SAFE.replace("torch_xla.sync()", f"torch_xla.sync()  # {comment}")
    assert file.read_bytes() == after.encode(encoding)


def test_a_diff_of_nothing_is_empty(file: Path) -> None:
    file.write_text(SAFE)
    result = run("check", "--diff")
    assert (result.stdout, result.exit_code) == ("", 0)


def test_fix_only_reports_nothing(file: Path) -> None:
    result = run("check", "--fix-only")
    assert file.read_text() == SAFE
    assert (result.stdout, result.exit_code) == ("", 0)


def test_whoever_wants_to_know_is_told_that_something_was_fixed(file: Path) -> None:
    assert run("check", "--fix-only", "--exit-non-zero-on-fix").exit_code == 1
    assert run("check", "--fix-only", "--exit-non-zero-on-fix").exit_code == 0


def test_show_fixes_lists_what_was_done_and_what_may_change(file: Path) -> None:
    result = run("check", "--fix-only", "--unsafe-fixes", "--show-fixes")
    assert "train.py:\n" in result.stderr
    assert "  XLA002 deprecated-api: Use `torch_xla.device`\n" in result.stderr
    assert "  XLA201 manual-step-marker: Put the step in `with torch_xla.step():`\n" in result.stderr
    assert "    random numbers differ" in result.stderr


def test_show_fixes_says_why_something_was_not_fixed(file: Path) -> None:
    file.write_text(OLD.replace("xm.xla_device()", "xm.xla_device(*[])"))
    result = run("check", "--fix-only", "--show-fixes")
    assert "Not fixed:\n  train.py:5:10: XLA002: Use `torch_xla.device`: " in result.stderr


def test_where_a_cure_begins_in_a_file_that_no_diagnostic_shows_the_next_is_tried(file: Path) -> None:
    fixture = Path(__file__).parent.parent / "fixtures/XLA701/optimizer_from_a_helper"
    shutil.copytree(fixture, file.parent / "helper")
    result = run("check", "--fix-only", "--unsafe-fixes", "--show-fixes", "helper")
    assert "XLA701 optimizer-before-device-move: Build the optimizer below the move" in result.stderr
    assert (file.parent / "helper/optimizers.py").read_text() == (fixture / "optimizers.py").read_text()


# Standard input ----------------------------------------------------------------------------------


def test_standard_input_goes_fixed_to_standard_output(file: Path) -> None:
    result = run("check", "--fix", "-", "--stdin-filename", "train.py", stdin=OLD)
    assert result.stdout == SAFE
    assert "XLA201" in result.stderr
    assert file.read_text() == OLD


def test_standard_input_that_needs_nothing_comes_back(file: Path) -> None:
    assert run("check", "--fix", "-", stdin="x = 1\n").stdout == "x = 1\n"


def test_standard_input_that_cannot_be_parsed_comes_back(file: Path) -> None:
    assert run("check", "--fix", "-", stdin="import torch_xla\n(\n").stdout == "import torch_xla\n(\n"


# Faults ------------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_parsed_is_left_alone(file: Path) -> None:
    broken = OLD + "(\n"
    file.write_text(broken)
    assert run("check", "--fix").exit_code == 1
    assert file.read_text() == broken


def test_a_file_that_cannot_be_written_is_named_and_the_others_are_fixed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = file.with_name("other.py")
    other.write_text(OLD)
    real = os.access
    # As root, every file can be written.
    monkeypatch.setattr(os, "access", lambda path, mode: "train" not in str(path) and real(path, mode))
    result = run("check", "--fix")
    assert result.exit_code == 2
    assert "cannot fix train.py: it is read-only\nfixed other.py\n" in result.stderr
    assert file.read_text() == OLD
    assert other.read_text() == SAFE


def disturbed(monkeypatch: pytest.MonkeyPatch, after: int, disturb: Callable[[], object]) -> None:
    """Let something happen once so many checks are done."""
    real = checker.check
    checks = 0

    def check(*arguments: Any, **keywords: Any) -> Any:
        nonlocal checks
        report = real(*arguments, **keywords)
        checks += 1
        if checks == after:
            disturb()
        return report

    monkeypatch.setattr(checker, "check", check)


MINE = OLD.replace("range(3)", "range(5)")


def test_a_file_that_changes_after_the_first_check_is_kept_and_named(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disturbed(monkeypatch, 1, lambda: file.write_text(MINE))
    result = run("check", "--fix", "--show-fixes")
    assert file.read_text() == MINE
    assert "it was changed while xlalint ran; run it again" in result.stderr


def test_a_file_that_changes_between_check_and_write_is_kept_and_named(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = file.with_name("other.py")
    other.write_text(OLD)
    disturbed(monkeypatch, 2, lambda: file.write_text(MINE))
    result = run("check", "--fix", "--show-fixes")
    assert file.read_text() == MINE
    assert other.read_text() == SAFE
    assert "it was changed while xlalint ran; run it again" in result.stderr


@pytest.mark.parametrize("checks", [1, 2])
def test_a_file_that_is_deleted_between_check_and_write_stays_deleted(
    file: Path, monkeypatch: pytest.MonkeyPatch, checks: int
) -> None:
    other = file.with_name("other.py")
    other.write_text(OLD)
    disturbed(monkeypatch, checks, file.unlink)
    result = run("check", "--fix", "--show-fixes")
    assert not file.exists()
    assert other.read_text() == SAFE
    assert result.exit_code == (0 if checks == 1 else 2)
    assert ("cannot fix train.py: it does not exist" in result.stderr) == (checks == 2)


def test_a_full_disk_is_told_with_what_was_written_and_what_not(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [file.with_name(name) for name in ("a.py", "z.py")]
    for path in others:
        path.write_text(OLD)
    real, writes = os.write, 0

    def write(descriptor: int, data: bytes) -> int:
        nonlocal writes
        writes += 1
        if writes == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", write)
    result = run("check", "--fix", "--no-cache")
    assert result.exit_code == 2
    assert "cannot fix train.py: no space left on device" in result.stderr
    assert "fixed a.py, z.py\n" in result.stderr
    assert file.read_text() == OLD
    assert {path.read_text() for path in others} == {SAFE}
    assert not [*file.parent.glob(".xlalint-*")]


def test_whoever_interrupts_is_told_what_was_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = file.with_name("a.py")
    other.write_text(OLD)
    real, writes = os.write, 0

    def write(descriptor: int, data: bytes) -> int:
        nonlocal writes
        writes += 1
        if writes == 2:
            raise KeyboardInterrupt
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", write)
    result = run("check", "--fix", "--no-cache")
    assert result.exit_code != 0
    assert "interrupted; files fixed before: a.py" in result.stderr
    assert (other.read_text(), file.read_text()) == (SAFE, OLD)
    assert not [*file.parent.glob(".xlalint-*")]


def test_fixes_that_overlap_are_all_made(file: Path) -> None:
    file.write_text(
        "import torch\nimport torch_xla.core.xla_model as xm\n\n"
        "print(xm.xla_device(), torch.zeros(2, device=xm.xla_device()), "
        "(xm.mark_step(), xm.mark_step()))\n"
    )
    run("check", "--fix")
    assert file.read_text() == (
        "import torch\nimport torch_xla\n\n"
        "print(torch_xla.device(), torch.zeros(2, device=torch_xla.device()), "
        "(torch_xla.sync(), torch_xla.sync()))\n"
    )


def test_two_fixers_at_once_leave_one_result(file: Path) -> None:
    many = [file.with_name(f"train{number}.py") for number in range(8)]
    for path in many:
        path.write_text(OLD)
    fixing = [sys.executable, "-m", "xlalint", "check", "--fix", "--no-cache", "."]
    processes = [subprocess.Popen(fixing, cwd=file.parent, stdout=-3, stderr=-3) for _ in range(2)]
    for process in processes:
        process.wait(120)
    for path in many:
        assert path.read_text() in (OLD, SAFE)
    run("check", "--fix")
    assert {path.read_text() for path in (*many, file)} == {SAFE}


def test_a_fix_that_was_killed_between_two_files_is_completed_first(file: Path) -> None:
    other, temporary = file.with_name("other.py"), file.with_name(".xlalint-1")
    other.write_text(OLD)
    temporary.write_text(SAFE)
    before, after = digest(OLD.encode()), digest(SAFE.encode())
    file.write_text(SAFE)
    journal = [Begun(str(file), "gone", before, after), Begun(str(other), str(temporary), before, after)]
    file.with_name(".xlalint-2.journal").write_text(json.dumps(journal))
    assert "completed an interrupted fix" in run("check", "--fix").stderr
    assert other.read_text() == SAFE
    assert sorted(each.name for each in file.parent.iterdir() if each.is_file()) == [other.name, file.name]


# Migration ---------------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> str:
    named = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    return subprocess.run(
        ["git", *named, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repository(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "a@example.com")
    (file.parent / ".gitignore").write_text(".xlalint_cache\n")
    git(file.parent, "init", "-q")
    git(file.parent, "add", ".")
    git(file.parent, "commit", "-qm", "before")
    return file.parent


def test_a_migration_applies_all_and_says_what_may_change(repository: Path) -> None:
    result = run("migrate")
    assert (repository / "train.py").read_text() == UNSAFE
    assert "    random numbers differ" in result.stderr
    assert result.exit_code == 0


def test_a_migration_can_be_safe(repository: Path) -> None:
    run("migrate", "--safe-only")
    assert (repository / "train.py").read_text() == SAFE


def test_a_migration_refuses_files_that_are_not_committed(repository: Path) -> None:
    (repository / "train.py").write_text(OLD + "# mine\n")
    result = run("migrate")
    assert result.exit_code == 2
    assert "changes that are not committed (train.py)" in result.stderr
    assert (repository / "train.py").read_text() == OLD + "# mine\n"
    assert run("migrate", "--allow-dirty").exit_code == 0
    assert (repository / "train.py").read_text() == UNSAFE + "# mine\n"


def test_a_migration_works_without_git(file: Path) -> None:
    assert run("migrate").exit_code == 0
    assert file.read_text() == UNSAFE


def test_a_migration_commits_the_changes_of_each_rule(repository: Path) -> None:
    run("migrate", "--commit")
    assert git(repository, "log", "--format=%s").splitlines() == [
        "XLA002 deprecated-api: Use `torch_xla.device`",
        "XLA201 manual-step-marker: Put the step in `with torch_xla.step():`",
        "before",
    ]
    assert git(repository, "status", "--porcelain") == ""
    assert (repository / "train.py").read_text() == UNSAFE


def test_a_migration_lists_what_is_left_to_do_by_hand(repository: Path) -> None:
    (repository / "train.py").write_text(OLD + "xm.CollectiveContext()\n")
    git(repository, "commit", "-qam", "more")
    result = run("migrate")
    assert "Left to do by hand:\n  train.py:16:1: XLA001 removed-api: remove it" in result.stdout


def test_a_commit_needs_a_repository(file: Path) -> None:
    assert run("migrate", "--commit").exit_code == 2


assert shutil.which("git") and shutil.which("patch")
