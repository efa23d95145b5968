"""One source file: bytes in, text and positions out."""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

from xlalint.diagnostic import Position, Range
from xlalint.lazy.site import Site
from xlalint.sources.usage import brings_xla

if TYPE_CHECKING:
    import ast

    from xlalint.sources.notebook import Notebook

START: Final = Position(1, 1)
NOTEBOOK: Final = ".ipynb"
CHANGED: Final = "it changed while it was read"

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_FIRST_TWO_LINES: Final = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n)?([^\r\n]*)")
_DECLARATION: Final = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT: Final = re.compile(rb"[ \t\f]*(?:#|$)")
_ATTEMPTS: Final = 3
_DIGEST_BYTES: Final = 16
_CHUNK: Final = 1 << 20
_LARGEST: Final = 1 << 30


class SourceFile:
    """The text of a file, without its byte order mark, and how to name places in it.

    Line ends are as in the file. Lines end at `\\n`, `\\r\\n` and `\\r` only, as they do for Python;
    form feeds and other separators of Unicode are part of a line.
    """

    __slots__ = ("_lines", "is_hot", "notebook", "path", "shown", "text", "tree")

    def __init__(self, path: Path, shown: str, text: str, *, is_hot: bool) -> None:
        """Args: path: absolute; shown: how the user sees it named; is_hot: whether it brings XLA."""
        self.path = path
        self.shown = shown
        self.text = text
        self.is_hot = is_hot
        self.tree: ast.Module | None = None
        """What `syntax.parse` made of the text; whoever needs it no more may set it to None."""
        self.notebook: Notebook | None = None
        """The notebook that the text is the program of."""
        self._lines: list[str] | None = None

    def __repr__(self) -> str:
        return f"<{self.shown}>"

    @property
    def lines(self) -> list[str]:
        """The lines, without their ends; never empty."""
        if self._lines is None:
            self._lines = split_lines(self.text)
        return self._lines

    def line(self, number: int) -> str:
        """The line with this 1-based number; empty where there is none."""
        lines = self.lines
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def position(self, line: int, column: int) -> Position:
        """The position at a 1-based line and a 0-based UTF-8 byte offset; kept inside the text."""
        line = min(max(line, 1), len(self.lines))
        text = self.line(line)
        if not text.isascii():
            encoded = text.encode("utf-8", "surrogatepass")[:column]
            return Position(line, len(encoded.decode("utf-8", "ignore")) + 1)
        return Position(line, min(max(column, 0), len(text)) + 1)

    def range(self, site: Site) -> Range:
        """The stretch of text that `site` names; the whole line where it names no columns."""
        if site.end_column == 0 and site.column == 0 and site.end_line in (0, site.line):
            text = self.line(site.line)
            indent = len(text) - len(text.lstrip())
            start = self.position(site.line, 0)
            return Range(
                Position(start.line, indent + 1), Position(start.line, max(len(text.rstrip()), indent) + 1)
            )
        start = self.position(site.line, site.column)
        return Range(start, max(start, self.position(site.end_line, site.end_column)))

    def site(self, start: Position, end: Position) -> Site:
        """The site of a stretch of text: the inverse of `range`."""
        return Site(str(self.path), start.line, self._bytes_before(start), end.line, self._bytes_before(end))

    def _bytes_before(self, position: Position) -> int:
        before = self.line(position.line)[: position.column - 1]
        return len(before) if before.isascii() else len(before.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be read, decoded or parsed, and where it went wrong.

    Args:
        path: Absolute.
        shown: How the user sees it named.
        reason: What went wrong, as a sentence about the file without its full stop.
        position: The place of a syntax error.
        file: The text, when that much was possible.
        part: What cannot be read: the whole file, or a cell of a notebook.
    """

    path: Path
    shown: str
    reason: str
    position: Position = START
    file: SourceFile | None = None
    part: str = "file"


def read(path: Path, packages: tuple[str, ...] = ()) -> SourceFile | Unreadable:
    """Read and decode one file. Never raises for what may be wrong with it.

    Args:
        path: The file; made absolute.
        packages: What brings XLA to files that import it, beside torch_xla.
    """
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    data = read_bytes(str(absolute))
    if isinstance(data, str):
        return Unreadable(absolute, show(absolute), data)
    return decode(absolute, show(absolute), data, packages)


def read_bytes(path: str) -> bytes | str:
    """The content of the file at one moment; or, as a string, why it cannot be read."""
    # Opening a pipe would wait for a writer; it is refused just below.
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    )
    try:
        for _ in range(_ATTEMPTS):
            descriptor = os.open(path, flags)
            try:
                before = os.fstat(descriptor)
                if not stat.S_ISREG(before.st_mode):
                    return "it is a directory" if stat.S_ISDIR(before.st_mode) else "it is not a regular file"
                if before.st_size > _LARGEST:
                    return "it is larger than 1 GiB"
                data = _read_all(descriptor, before.st_size)
                after = os.fstat(descriptor)
            finally:
                os.close(descriptor)
            if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
                return data
    except OSError as error:
        return reason_of(path, error)
    return CHANGED


def decode(
    path: Path, shown: str, data: bytes, packages: tuple[str, ...] = (), *, hot: bool | None = None
) -> SourceFile | Unreadable:
    """The text of a file's bytes, in the encoding that its first lines declare (PEP 263).

    Args:
        hot: Whether it brings XLA, where that is known.
    """
    if path.suffix == NOTEBOOK:
        return _decode_notebook(path, shown, data, packages, hot)
    body = data.removeprefix(_BYTE_ORDER_MARK)
    if (zero := body.find(b"\0")) >= 0:
        line = body.count(b"\n", 0, zero) + 1
        return Unreadable(path, shown, f"line {line} contains a NUL byte", Position(line, 1))
    encoding = _declared_encoding(body) or "utf-8"
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError):
        return Unreadable(path, shown, f"it declares an unknown encoding, {encoding}")
    if len(body) < len(data) and codec.name != "utf-8":
        return Unreadable(path, shown, f"it has a UTF-8 byte order mark but declares {encoding}")
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        wrong = " ".join(f"0x{byte:02x}" for byte in body[error.start : error.end][:4])
        reason = f"line {line} is not valid {_shown_encoding(encoding)} (byte {wrong})"
        return Unreadable(path, shown, reason, Position(line, 1))
    except (LookupError, ValueError) as error:
        return Unreadable(path, shown, f"it cannot be decoded: {error}")
    return SourceFile(path, shown, text, is_hot=brings_xla(data, packages) if hot is None else hot)


def _decode_notebook(
    path: Path, shown: str, data: bytes, packages: tuple[str, ...], hot: bool | None
) -> SourceFile | Unreadable:
    from xlalint.sources.notebook import Notebook, NotebookError

    try:
        notebook = Notebook(data)
    except NotebookError as error:
        return Unreadable(path, shown, str(error))
    program = notebook.program.encode("utf-8", "replace")
    is_hot = brings_xla(program, packages) if hot is None else hot
    file = SourceFile(path, shown, notebook.program, is_hot=is_hot)
    file.notebook = notebook
    return file


def changed(file: SourceFile, text: str, before: bytes) -> bytes:
    """The bytes of a file when its text has become another.

    Args:
        before: Its bytes until then.

    Raises:
        UnicodeEncodeError: its encoding lacks a character of the text.
        NotebookError: it is a notebook, and the change is not one of the text in cells.
    """
    if file.notebook is None:
        return encoded(text, like=before)
    from xlalint.sources.notebook import Notebook

    return Notebook(before).changed(text)


def encoded(text: str, *, like: bytes) -> bytes:
    """The bytes of a text, with the encoding and the byte order mark of those of a file that can be decoded.

    Raises:
        UnicodeEncodeError: the encoding lacks a character of the text.
    """
    body = like.removeprefix(_BYTE_ORDER_MARK)
    mark = like[: len(like) - len(body)]
    return mark + text.encode(_declared_encoding(body) or "utf-8")


def decoded(data: bytes) -> str:
    """The text of bytes that `encoded` made, or could have made."""
    body = data.removeprefix(_BYTE_ORDER_MARK)
    mark = "\ufeff" if len(body) < len(data) else ""
    return mark + body.decode(_declared_encoding(body) or "utf-8")


def as_bytes(text: str, errors: str = "replace") -> bytes:
    """The bytes of a file that holds a text, in the encoding that its first lines declare.

    Args:
        text: With its byte order mark, if it has one.
        errors: What becomes of characters that the encoding lacks, as of `str.encode`.

    Raises:
        UnicodeEncodeError: there is one, and `errors` is "strict".
    """
    body = text.encode("utf-8", errors)
    try:
        return text.encode(_declared_encoding(body.removeprefix(_BYTE_ORDER_MARK)) or "utf-8", errors)
    except LookupError:  # whoever decodes it says that there is no such encoding
        return body


def digest(data: bytes) -> str:
    """A short text that differs where `data` does."""
    return blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def split_lines(text: str) -> list[str]:
    """The lines of a text as Python counts them, without their ends; never empty."""
    # Nearly all files have one kind of line end, and the pattern is ten times slower than the method.
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def show(path: Path) -> str:
    """A path as the user sees it: relative to the working directory, with forward slashes."""
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):  # another drive, or the working directory is gone
        relative = str(path)
    # A name that is no text, or that holds line ends, must not break the output.
    name = relative.replace(os.sep, "/").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    # Nor must one that CI servers would take for a command to them, where a line begins with it.
    start = "./" if name.startswith(("::", "##")) else ""
    return start + "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name
    )


def reason_of(path: str, error: OSError) -> str:
    """Why a file or directory cannot be read."""
    if error.errno == errno.ENOENT:
        return "the symbolic link is broken" if os.path.islink(path) else "it does not exist"  # noqa: PTH114
    if error.errno == errno.ELOOP:
        return "the symbolic link leads back to itself"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "permission denied"
    return (error.strerror or str(error)).lower()


def _read_all(descriptor: int, size: int) -> bytes:
    # Asking for one byte too many tells the end of a file from a file that grew, in one call.
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    chunks = [data]
    while chunk := os.read(descriptor, _CHUNK):
        chunks.append(chunk)
    return b"".join(chunks)


def _declared_encoding(body: bytes) -> str | None:
    """The encoding that a comment in one of the first two lines declares, as PEP 263 says."""
    first_two = _FIRST_TWO_LINES.match(body)
    if first_two is None or b"coding" not in first_two[0]:
        return None
    for line in first_two.groups():
        match = _DECLARATION.match(line)
        if match is not None:
            return match[1].decode("ascii", "replace").lower()
        if not _BLANK_OR_COMMENT.match(line):
            return None
    return None


def _shown_encoding(encoding: str) -> str:
    return "UTF-8" if encoding in ("utf-8", "utf8") else encoding
