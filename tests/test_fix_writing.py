"""Files get their fixed text whole or not at all, whatever goes wrong on the way."""

from __future__ import annotations

import errno
import os
import signal
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from xlalint.cli.fixes import complete_fixes
from xlalint.fixing.journal import Begun, complete, digest, written_down
from xlalint.fixing.writing import Change, Unwritten, replace, replace_all

OLD = b"xm.mark_step()\n"
NEW = b"torch_xla.sync()\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_bytes(OLD)
    return path


def others(file: Path) -> list[str]:
    return [path.name for path in file.parent.iterdir() if path != file]


def test_a_file_gets_the_new_text(file: Path) -> None:
    replace(str(file), OLD, NEW)
    assert file.read_bytes() == NEW
    assert others(file) == []


def test_the_mode_stays(file: Path) -> None:
    file.chmod(0o751)
    replace(str(file), OLD, NEW)
    assert stat.S_IMODE(file.stat().st_mode) == 0o751


def test_links_are_followed(file: Path) -> None:
    link = file.with_name("link.py")
    link.symlink_to(file.name)
    replace(str(link), OLD, NEW)
    assert link.is_symlink()
    assert file.read_bytes() == NEW


def test_a_text_that_changed_meanwhile_is_kept(file: Path) -> None:
    file.write_bytes(b"my_work()\n")
    with pytest.raises(Unwritten, match="it was changed while xlalint ran"):
        replace(str(file), OLD, NEW)
    assert file.read_bytes() == b"my_work()\n"


def test_a_text_that_changes_while_the_new_one_is_written_is_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fsync(_: int) -> None:
        file.write_bytes(b"my_work()\n")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(Unwritten, match="it was changed while xlalint ran"):
        replace(str(file), OLD, NEW)
    assert file.read_bytes() == b"my_work()\n"
    assert others(file) == []


def test_a_file_that_is_gone_stays_gone(file: Path) -> None:
    file.unlink()
    with pytest.raises(Unwritten, match="it does not exist"):
        replace(str(file), OLD, NEW)
    assert not file.exists()


def test_a_read_only_file_stays_as_it_is(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As root, every file can be written.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(Unwritten, match="it is read-only"):
        replace(str(file), OLD, NEW)
    assert file.read_bytes() == OLD


STEPS = ("open", "write", "fsync", "close", "chmod", "replace", "stat")
"""What is asked of the system on the way."""


def failing(step: str, fault: BaseException, after: int) -> Callable[..., Any]:
    """A function of `os` that raises from a call on: `after` calls before it do what they should."""
    real = getattr(os, step)
    calls = 0

    def call(*arguments: Any, **keywords: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > after:
            if step == "close":
                real(*arguments)
            raise fault
        return real(*arguments, **keywords)

    return call


def failing_once(step: str, fault: BaseException, after: int) -> Callable[..., Any]:
    """As `failing`, for one call alone: what is put back can be."""
    real, fails = getattr(os, step), failing(step, fault, after)
    failed = False

    def call(*arguments: Any, **keywords: Any) -> Any:
        nonlocal failed
        if failed:
            return real(*arguments, **keywords)
        try:
            return fails(*arguments, **keywords)
        except type(fault):
            failed = True
            raise

    return call


FAULTS = (
    OSError(errno.ENOSPC, "No space left on device"),
    OSError(errno.EIO, "Input/output error"),
    KeyboardInterrupt(),
)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", FAULTS, ids=["full", "broken", "interrupted"])
@pytest.mark.parametrize("after", range(3))
def test_whatever_fails_the_file_has_one_text_or_the_other(
    file: Path, monkeypatch: pytest.MonkeyPatch, step: str, fault: BaseException, after: int
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, step, failing(step, fault, after))
        try:
            replace(str(file), OLD, NEW)
            expected = {NEW}
        except Unwritten:
            expected = {OLD}
        except KeyboardInterrupt:
            expected = {OLD, NEW}
    assert file.read_bytes() in expected
    assert others(file) == []


def test_a_kill_at_any_write_leaves_one_text_or_the_other(file: Path) -> None:
    for step in ("open", "write", "fsync", "chmod", "replace"):
        for before in (True, False):
            file.write_bytes(OLD)
            child = os.fork()
            if child == 0:
                real = getattr(os, step)

                def die(*arguments: Any, real: Any = real, before: bool = before, **keywords: Any) -> None:
                    if not before:
                        real(*arguments, **keywords)
                    os._exit(9)

                setattr(os, step, die)
                replace(str(file), OLD, NEW)
                os._exit(0)
            os.waitpid(child, 0)
            assert file.read_bytes() in (OLD, NEW), (step, before)
            for name in others(file):  # what nobody was left to delete is not taken for Python
                assert not name.endswith(".py")
                (file.parent / name).unlink()


def test_files_that_change_together_change_all_or_none(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = file.with_name("loop.py")
    both = [Change(str(each), OLD, NEW) for each in (other, file)]
    for step in STEPS:
        for after in range(6):
            for each in (file, other):
                each.write_bytes(OLD)
            with monkeypatch.context() as patched:
                patched.setattr(os, step, failing_once(step, FAULTS[0], after))
                with suppress(Unwritten):
                    replace_all(both)
            assert file.read_bytes() == other.read_bytes(), (step, after)
            assert others(file) == ["loop.py"]


def killed_between(file: Path, other: Path) -> None:
    """Change two files in a process that is killed when one of them has changed."""
    child = os.fork()
    if child == 0:
        real, calls = os.replace, 0

        def die(*arguments: Any) -> None:
            nonlocal calls
            calls += 1
            if calls == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            real(*arguments)

        os.replace = die  # type: ignore[assignment]
        replace_all([Change(str(each), OLD, NEW) for each in (file, other)])
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert (file.read_bytes(), other.read_bytes()) == (NEW, OLD)


def test_what_a_kill_parts_the_next_run_completes(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = file.with_name("loop.py")
    other.write_bytes(OLD)
    killed_between(file, other)
    monkeypatch.chdir(file.parent)
    complete_fixes([str(file), str(other)])
    assert (file.read_bytes(), other.read_bytes()) == (NEW, NEW)
    assert others(file) == ["loop.py"]
    assert "completed an interrupted fix of train.py, loop.py" in capsys.readouterr().err


def test_what_a_kill_parted_and_has_changed_since_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = file.with_name("loop.py")
    other.write_bytes(OLD)
    killed_between(file, other)
    other.write_bytes(b"my_work()\n")
    monkeypatch.chdir(file.parent)
    complete_fixes([str(file), str(other)])
    assert other.read_bytes() == b"my_work()\n"
    assert others(file) == ["loop.py"]
    assert "loop.py has changed since" in capsys.readouterr().err


def test_a_journal_that_another_process_holds_is_left_to_it(file: Path) -> None:
    after = file.with_name("after")
    after.write_bytes(NEW)
    with written_down([Begun(str(file), str(after), digest(OLD), digest(NEW))]):
        file.write_bytes(NEW)
        assert [*complete([file.parent])] == []
        assert after.exists()


def test_a_second_file_that_has_changed_keeps_the_first_as_it_is(file: Path) -> None:
    other = file.with_name("loop.py")
    other.write_bytes(b"my_work()\n")
    with pytest.raises(Unwritten, match="it was changed while xlalint ran") as raised:
        replace_all([Change(str(file), OLD, NEW), Change(str(other), OLD, NEW)])
    assert raised.value.path == str(other)
    assert file.read_bytes() == OLD
