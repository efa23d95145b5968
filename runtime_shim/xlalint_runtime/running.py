"""Runs a script or a module as `python` itself would, and shows its errors without our frames."""

from __future__ import annotations

import builtins
import importlib.machinery
import io
import os
import pkgutil
import runpy
import sys
import types
from collections.abc import Callable
from pathlib import Path
from types import CodeType, TracebackType

from xlalint import runs

_OURS = tuple(f"{Path(file).parent}{os.sep}" for file in (__file__, runs.__file__))


class NotFound(Exception):
    """There is no such script or module; the message is the one that Python gives."""


class Program:
    """A program that is ready to run as `__main__`."""

    def __init__(self, code: CodeType, module: types.ModuleType, path: str, argv: list[str]) -> None:
        self._code = code
        self._module = module
        self._path = path
        self._argv = argv

    def run(self, on_error: Callable[[BaseException], None]) -> None:
        """Run it. Its errors reach the interpreter, which shows them and ends as it would without us.

        Args:
            on_error: Called with the exception that ends the program, `SystemExit` too.
        """
        sys.modules["__main__"] = self._module
        sys.argv[:] = self._argv
        sys.path[0] = self._path
        try:
            exec(self._code, self._module.__dict__)
        except BaseException as error:
            _hide_our_frames()
            on_error(error)
            raise


def script(path: str, args: tuple[str, ...]) -> Program:
    """The program in a file, or in a folder or archive that holds a `__main__.py`.

    Raises:
        NotFound: it cannot be read.
        SyntaxError: it is no Python.
    """
    if pkgutil.get_importer(path) is not None:
        return _in_folder(path, args)
    absolute = os.path.abspath(path)  # noqa: PTH100 - keeps links, as Python does
    try:
        with io.open_code(absolute) as file:
            text = file.read()
    except OSError as error:
        raise NotFound(f"can't open file {absolute!r}: [Errno {error.errno}] {error.strerror}") from error
    code = compile(text, absolute, "exec", dont_inherit=True)
    loader = importlib.machinery.SourceFileLoader("__main__", absolute)
    module = _main(__file__=absolute, __loader__=loader, __cached__=None, __package__=None)
    return Program(code, module, str(Path(absolute).resolve().parent), [path, *args])


def module(name: str, args: tuple[str, ...]) -> Program:
    """A module, as `python -m` runs it.

    Raises:
        NotFound: there is none with this name, or it cannot be run.
    """
    here = os.getcwd()  # noqa: PTH109
    sys.path[0] = here
    sys.argv[0] = "-m"
    try:
        _, spec, code = runpy._get_module_details(name)  # type: ignore[attr-defined]
    except ImportError as error:
        raise NotFound(str(error)) from error
    main = _main(
        __file__=spec.origin, __loader__=spec.loader, __cached__=spec.cached, __package__=spec.parent,
        __spec__=spec,
    )  # fmt: skip
    return Program(code, main, here, [spec.origin, *args])


def _in_folder(path: str, args: tuple[str, ...]) -> Program:
    sys.path[0] = path
    try:
        _, spec, code = runpy._get_main_module_details()  # type: ignore[attr-defined]
    except ImportError as error:
        raise NotFound(str(error)) from error
    main = _main(
        __file__=spec.origin, __loader__=spec.loader, __cached__=spec.cached, __package__="", __spec__=spec
    )
    return Program(code, main, path, [path, *args])


def _main(**attributes: object) -> types.ModuleType:
    module = types.ModuleType("__main__")
    module.__dict__.update({"__annotations__": {}, "__builtins__": builtins, **attributes})
    return module


# What users see of an error ---------------------------------------------------------------------


def _hide_our_frames() -> None:
    """Let the interpreter show errors without our frames, by whichever hook it has now."""
    shown = sys.excepthook

    def excepthook(kind: type[BaseException], error: BaseException, tb: TracebackType | None) -> None:
        without_our_frames(error)
        shown(kind, error, error.__traceback__)

    sys.excepthook = excepthook


def without_our_frames(error: BaseException) -> None:
    """Take our frames, and those of Python that lead to them, out of the tracebacks of an error."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.__traceback__ = _trimmed(one.__traceback__)
        waiting += (one.__cause__, one.__context__)


def _trimmed(tb: TracebackType | None) -> TracebackType | None:
    frames = []
    while tb is not None:
        frames.append(tb)
        tb = tb.tb_next
    outermost = next((n for n, each in enumerate(frames) if _is_ours(each)), None)
    if outermost is not None and all(_file(each).startswith("<frozen") for each in frames[:outermost]):
        frames = frames[outermost:]  # Python's own way to `-m`, by which our process began
    kept = [each for each in frames if not _is_ours(each)]
    for each, following in zip(kept, (*kept[1:], None), strict=False):
        each.tb_next = following
    return kept[0] if kept else None


def _is_ours(tb: TracebackType) -> bool:
    return _file(tb).startswith(_OURS)


def _file(tb: TracebackType) -> str:
    return tb.tb_frame.f_code.co_filename
