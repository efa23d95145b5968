"""What one fix does to several files is written down before the first changes: no kill parts them for good.

The journal stands beside the first of the files, as long as they change. The next run that fixes files there
finds it, and completes what was begun.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

_BEGIN, _END = ".xlalint-", ".journal"


class Begun(NamedTuple):
    """One of the files, and what it is to become.

    Args:
        path: The file, with all links followed.
        temporary: The file with its new content.
        before: The digest of the content that it had.
        after: That of the new one.
    """

    path: str
    temporary: str
    before: str
    after: str


class Interrupted(NamedTuple):
    """A fix of several files that a kill ended.

    Args:
        paths: The files.
        changed: Those that have changed since, so that it could not be completed; () where it was.
    """

    paths: tuple[str, ...]
    changed: tuple[str, ...]


def digest(data: bytes) -> str:
    """What a content is known by."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def written_down(files: Sequence[Begun]) -> Iterator[None]:
    """Hold a journal of files while they change; it goes however that ends, but by a kill.

    Raises:
        OSError: it cannot be written.
    """
    path = Path(files[0].path).with_name(f"{_BEGIN}{os.urandom(6).hex()}{_END}")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _lock(descriptor)
        os.write(descriptor, json.dumps(files).encode())
        os.fsync(descriptor)
        yield
    finally:
        os.close(descriptor)
        with suppress(OSError):
            path.unlink()


def complete(folders: Iterable[Path]) -> Iterator[Interrupted]:
    """Complete the fixes that a kill ended, as far as their files have not changed since.

    Args:
        folders: Where to look for journals.

    Yields: Those of which some files had changed; where none had, nothing is parted.
    """
    for folder in folders:
        try:
            journals = [
                each for each in folder.iterdir() if each.name.startswith(_BEGIN) and each.suffix == _END
            ]
        except OSError:
            continue
        for each in journals:
            found = _completed(each)
            if found is not None:
                yield found


def _completed(journal: Path) -> Interrupted | None:
    try:
        with journal.open("rb") as file:
            _lock(file.fileno())
            files = [Begun(*each) for each in json.load(file)]
    except BlockingIOError:
        return None  # it is another process's, which is at it
    except (OSError, ValueError, TypeError):
        files = []  # nothing had changed when it was written in part
    contents = {each: _digest_of(each.path) for each in files}
    begun = any(contents[each] == each.after for each in files)
    left = [each for each in files if contents[each] != each.after]
    lost = [
        each for each in left if contents[each] != each.before or _digest_of(each.temporary) != each.after
    ]
    for each in left:
        with suppress(OSError):
            if begun and not lost:
                os.replace(each.temporary, each.path)  # noqa: PTH105
            else:
                Path(each.temporary).unlink()
    with suppress(OSError):
        journal.unlink()
    return (
        Interrupted(tuple(each.path for each in files), tuple(each.path for each in lost)) if begun else None
    )


def _digest_of(path: str) -> str:
    try:
        return digest(Path(path).read_bytes())
    except OSError:
        return ""


def _lock(descriptor: int) -> None:
    """Lock a file for this process, until it is closed.

    Raises:
        BlockingIOError: another process has it.
    """
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
