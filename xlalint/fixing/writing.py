"""Files get their new text whole or not at all."""

# `pathlib` has no function that follows all links and never raises for it.
# ruff: noqa: PTH101, PTH105, PTH108, PTH116, PTH120

from __future__ import annotations

import os
import stat
from contextlib import suppress

from xlalint.sources.file import read_bytes, reason_of


class Unwritten(Exception):
    """A file was left as it is. The text says why, as a sentence about the file without its full stop."""


def replace(path: str, before: bytes, after: bytes) -> None:
    """Give a file another content, if it still has the one that is known. Its mode stays, links are followed.

    The new content is written beside the file first, so that whatever happens, the file has one or the other.

    Raises:
        Unwritten: the file has changed, or cannot be written; it is as it was.
    """
    target = os.path.realpath(path)
    found = read_bytes(target)
    if isinstance(found, str):
        raise Unwritten(found)
    if found != before:
        raise Unwritten("it was changed while xlalint ran; run it again")
    temporary = os.path.join(os.path.dirname(target), f".xlalint-{os.urandom(6).hex()}")  # noqa: PTH118
    try:
        if not os.access(target, os.W_OK):
            raise Unwritten("it is read-only")
        _write(temporary, after, os.stat(target))
        if read_bytes(target) != before:
            raise Unwritten("it was changed while xlalint ran; run it again")
        os.replace(temporary, target)
    except OSError as error:
        raise Unwritten(reason_of(target, error)) from error
    finally:
        with suppress(OSError):  # it is gone, unless something went wrong
            os.unlink(temporary)


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
