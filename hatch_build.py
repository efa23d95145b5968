"""Compiles the analysis to machine code when a wheel is built, where that can be done.

The same sources run either way, and give the same answers; compiled ones in half the time. The compiled
modules are made in a folder of their own and put into the wheel, never beside the sources: there, an old
one would be imported in the place of an edited source. So an editable installation is always interpreted.

`XLALINT_PURE=1` builds without, `XLALINT_PURE=0` fails where compiling does; else a wheel that cannot be
compiled is built without, and says so.
"""

from __future__ import annotations

import os
import platform
import shutil
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PARTS = (
    "xlalint/lazy", "xlalint/analysis", "xlalint/program", "xlalint/sources",
    "xlalint/files.py", "xlalint/judging.py", "xlalint/memory.py", "xlalint/recalling.py",
    "xlalint/spelling.py", "xlalint/writing.py",
)  # fmt: skip
"""What most of the time is spent in: modules, and folders of them."""

INTERPRETED = ("xlalint/program/cst_frontend.py", "xlalint/lazy/events.py", "xlalint/lazy/records.py")
"""What is hardly ever used, and takes long to compile; and what decorates classes in a way of its own."""

OPTIONS = (
    "--config-file=", "--explicit-package-bases", "--ignore-missing-imports", "--follow-imports=silent",
)  # fmt: skip
"""What the compiler is told, here and by `scripts/translate.py`."""

NEEDED = ["mypy==2.4.1", "setuptools>=77"]
"""Exactly the compiler that the tests have seen: what it makes must say the same as what it was given."""


class CompiledModules(BuildHookInterface):  # type: ignore[misc, type-arg, unused-ignore]
    """Puts compiled modules into the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What must be installed to compile, where that will be tried."""
        return [] if _why_not() else NEEDED

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the wheel is put together. An editable one has no place for what is compiled."""
        if self.target_name != "wheel" or version == "editable":
            return
        must = os.environ.get("XLALINT_PURE") == "0"
        reason = _why_not()
        if not reason:
            self._folder = tempfile.mkdtemp()
            try:
                made = _compile(Path(self.root), Path(self._folder))
            except (Exception, SystemExit) as error:  # whatever a compiler may come to
                if must:
                    raise
                reason = f"compiling it failed ({error or type(error).__name__})"
            else:
                build_data["force_include"].update(made)
                build_data["infer_tag"] = True
                build_data["pure_python"] = False
        if reason:
            if must:
                raise RuntimeError(f"xlalint cannot be compiled: {reason}")
            self.app.display_warning(f"xlalint is installed as pure Python, about half as fast: {reason}.")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Clean up once the wheel is there."""
        folder = getattr(self, "_folder", None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _why_not() -> str:
    """Why nothing can be compiled here; empty if it can be, as far as is seen beforehand."""
    if os.environ.get("XLALINT_PURE", "0") != "0":
        return "XLALINT_PURE is set"
    if platform.python_implementation() != "CPython":
        return f"this is {platform.python_implementation()}"
    if os.name == "nt":
        return ""  # where the compiler is, only the tools know
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        return f"there is no C compiler ({compiler})"
    if not Path(sysconfig.get_paths()["include"], "Python.h").is_file():
        return "the headers of Python are not installed"
    return ""


def _compile(root: Path, folder: Path) -> dict[str, str]:
    """Compile modules; returns the files made, each with its place in the wheel."""
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    class Parallel(build_ext):  # type: ignore[misc, unused-ignore]
        """Compiles the files of one library at the same time."""

        def build_extension(self, ext: Any) -> None:
            def compiled(sources: list[str], **options: Any) -> list[str]:
                with ThreadPoolExecutor(os.cpu_count()) as pool:
                    parts = pool.map(lambda source: compile_in_turn([source], **options), sources)
                    return [file for part in parts for file in part]

            compile_in_turn, self.compiler.compile = self.compiler.compile, compiled
            try:
                super().build_extension(ext)
            finally:
                self.compiler.compile = compile_in_turn

    files = [
        str(file.relative_to(root))
        for part in PARTS
        for file in ([root / part] if part.endswith(".py") else sorted((root / part).rglob("*.py")))
        if file.relative_to(root).as_posix() not in INTERPRETED and file.stat().st_size
    ]
    before = Path.cwd()
    os.chdir(root)
    try:
        extensions = mypycify(
            [*OPTIONS, f"--cache-dir={folder / 'types'}", *files],
            opt_level="2",
            debug_level="0",
            multi_file=True,
            target_dir=str(folder / "c"),
            group_name="xlalint",
        )
        for extension in extensions if os.name != "nt" else ():
            # Nobody else calls these functions, so that calls between files need not be looked up.
            extension.extra_compile_args.append("-fvisibility=hidden")
        distribution = Distribution({"name": "xlalint", "ext_modules": extensions})
        command = Parallel(distribution)
        command.build_lib = str(folder / "lib")
        command.build_temp = str(folder / "objects")
        command.parallel = os.cpu_count()
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(before)
    lib = folder / "lib"
    return {str(file): file.relative_to(lib).as_posix() for file in lib.rglob("*") if file.is_file()}
