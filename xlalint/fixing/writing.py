"""Files get their new text whole or not at all."""

# `pathlib` has no function that follows all links and never raises for it.
# ruff: noqa: PTH101, PTH105, PTH108, PTH116, PTH120

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

from xlalint.fixing.journal import Begun, digest, written_down
from xlalint.sources.file import read_bytes, reason_of

_CHANGED = "it was changed while xlalint ran; run it again"


class Unwritten(Exception):
    """Files were left as they were. The text says why, as a sentence about one without its full stop.

    Args:
        path: That file.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path


class Change(NamedTuple):
    """A file, its content, and what it is to become."""

    path: str
    before: bytes
    after: bytes


def replace(path: str, before: bytes, after: bytes) -> None:
    """Give a file another content, if it still has the one that is known. Its mode stays, links are followed.

    The new content is written beside the file first, so that whatever happens, the file has one or the other.

    Raises:
        Unwritten: the file has changed, or cannot be written; it is as it was.
    """
    replace_all([Change(path, before, after)])


def replace_all(changes: Sequence[Change]) -> None:
    """Give files another content, as `replace` does: all of them or, where one cannot be written, none.

    All is written beside the files before the first of them changes, and of several a journal, by which the
    next run completes what a kill between two changes has parted.

    Raises:
        Unwritten: one of the files has changed, or cannot be written; all are as they were.
    """
    temporaries: list[str] = []
    changed: list[Change] = []
    try:
        for each in changes:
            _prepare(each, temporaries)
        with _journal(changes, temporaries):
            for each, temporary in zip(changes, temporaries, strict=True):
                _put(each, temporary)
                changed.append(each)
    except BaseException:
        for each in changed:
            try:
                replace(each.path, each.after, each.before)
            except Unwritten as error:
                raise Unwritten(
                    each.path, f"it has changed already, and cannot be put back: {error}"
                ) from error
        raise
    finally:
        for temporary in temporaries:
            with suppress(OSError):  # it is gone, unless something went wrong
                os.unlink(temporary)


@contextmanager
def _journal(changes: Sequence[Change], temporaries: Sequence[str]) -> Iterator[None]:
    """Of several files, hold a journal while they change."""
    if len(changes) < 2:
        yield
        return
    files = [
        Begun(os.path.realpath(each.path), temporary, digest(each.before), digest(each.after))
        for each, temporary in zip(changes, temporaries, strict=True)
    ]
    with ExitStack() as stack:
        try:
            stack.enter_context(written_down(files))
        except OSError as error:
            raise Unwritten(changes[0].path, reason_of(changes[0].path, error)) from error
        yield


def _prepare(change: Change, temporaries: list[str]) -> None:
    """Write the new content of a file beside it."""
    target = os.path.realpath(change.path)
    found = read_bytes(target)
    if isinstance(found, str):
        raise Unwritten(change.path, found)
    if found != change.before:
        raise Unwritten(change.path, _CHANGED)
    temporary = os.path.join(os.path.dirname(target), f".xlalint-{os.urandom(6).hex()}")  # noqa: PTH118
    if not os.access(target, os.W_OK):
        raise Unwritten(change.path, "it is read-only")
    temporaries.append(temporary)
    try:
        _write(temporary, change.after, os.stat(target))
    except OSError as error:
        raise Unwritten(change.path, reason_of(target, error)) from error


def _put(change: Change, temporary: str) -> None:
    target = os.path.realpath(change.path)
    if read_bytes(target) != change.before:
        raise Unwritten(change.path, _CHANGED)
    try:
        os.replace(temporary, target)
    except OSError as error:
        raise Unwritten(change.path, reason_of(target, error)) from error


def _write(path: str, data: bytes, like: os.stat_result) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        position = 0
        while position < len(data):
            position += os.write(descriptor, data[position:])
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if hasattr(os, "chown"):
        with suppress(OSError):  # only the superuser may give files away
            os.chown(path, like.st_uid, like.st_gid)
    os.chmod(path, stat.S_IMODE(like.st_mode))
