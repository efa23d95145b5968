"""Fetch the published sources that benchmarks and real-tree tests run on into .corpus/, and count them.

Archives are only downloaded and unpacked: nothing of them is built, installed or run. They come
through the pip that runs this, so its settings (index, certificates, cache) hold. `pip download`
itself is of no use here, since it runs an sdist's setup.py to learn its metadata.
"""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

CORPUS = Path(__file__).resolve().parent.parent / ".corpus"
PACKAGES = {
    "accelerate": "0.20.3",
    "diffusers": "0.30.3",
    "fairseq": "0.12.2",
    "pytorch-lightning": "1.9.5",
    "timm": "1.0.11",
    "transformers": "4.46.3",
}
AS_WHEEL = frozenset({"pytorch-lightning"})
"""Packages taken from their wheel, all others from their sdist: so the budgets were first measured."""


@dataclass(frozen=True)
class Count:
    """How much Python there is in a tree."""

    files: int = 0
    lines: int = 0
    size: int = 0
    """Bytes."""
    hot: int = 0
    """Files that contain `torch_xla`."""
    hot_lines: int = 0
    """Lines of those files."""

    def __add__(self, other: Count) -> Count:
        return Count(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def main() -> int:
    """Fetch what is missing, then print the counts of each package and of all."""
    fetch(CORPUS)
    print(f"{'package':28}{'files':>8}{'lines':>12}{'bytes':>12}{'torch_xla':>11}{'its lines':>11}")
    total = Count()
    for folder in trees(CORPUS):
        counted = count(folder)
        total += counted
        print(_row(folder.name, counted))
    print(_row("total", total))
    return 0


def fetch(corpus: Path) -> None:
    """Download and unpack the packages that are not in `corpus` yet.

    Raises:
        LookupError: the index offers no such file.
        ValueError: a file is not what the index says it is.
    """
    missing = {name: version for name, version in PACKAGES.items() if not _folder(corpus, name).is_dir()}
    if not missing:
        return
    for name, (file_name, data) in _download(missing):
        print(f"unpacking {file_name}", file=sys.stderr)
        folder = _folder(corpus, name)
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        for path, source in _python_files(file_name, data):
            target = partial / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source)
        partial.rename(folder)


def trees(corpus: Path) -> list[Path]:
    """The unpacked packages."""
    return [_folder(corpus, name) for name in sorted(PACKAGES)]


def count(folder: Path) -> Count:
    """How much Python there is in `folder`."""
    total = Count()
    for path in folder.rglob("*.py"):
        data = path.read_bytes()
        lines = data.count(b"\n")
        hot = b"torch_xla" in data
        total += Count(1, lines, len(data), hot, lines * hot)
    return total


def _folder(corpus: Path, name: str) -> Path:
    return corpus / f"{name}-{PACKAGES[name]}"


def _row(name: str, counted: Count) -> str:
    counts = f"{counted.files:>8,}{counted.lines:>12,}{counted.size:>12,}"
    return f"{name:28}{counts}{counted.hot:>11,}{counted.hot_lines:>11,}"


def _download(packages: dict[str, str]) -> Iterator[tuple[str, tuple[str, bytes]]]:
    from pip._internal.cli.cmdoptions import make_target_python
    from pip._internal.commands import create_command

    command = create_command("download")
    options, _ = command.parse_args([])
    with command.main_context():
        session = command.get_default_session(options)  # type: ignore[attr-defined]
        finder = command._build_package_finder(  # type: ignore[attr-defined]
            options, session, make_target_python(options), ignore_requires_python=True
        )
        for name, version in packages.items():
            for candidate in finder.find_all_candidates(name):
                link = candidate.link
                if str(candidate.version) == version and link.is_wheel == (name in AS_WHEEL):
                    break
            else:
                raise LookupError(f"the index offers no {name} {version}")
            print(f"downloading {link.filename}", file=sys.stderr)
            response = session.get(link.url_without_fragment)
            response.raise_for_status()
            if link.hash_name == "sha256" and sha256(response.content).hexdigest() != link.hash:
                raise ValueError(f"{link.filename} is damaged: its hash is not the index's")
            yield name, (link.filename, response.content)


def _python_files(file_name: str, data: bytes) -> Iterator[tuple[PurePosixPath, bytes]]:
    if file_name.endswith((".whl", ".zip")):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                if _wanted(name):
                    yield PurePosixPath(name), archive.read(name)
        return
    with tarfile.open(fileobj=io.BytesIO(data)) as packed:
        for member in packed:
            content = packed.extractfile(member) if member.isfile() and _wanted(member.name) else None
            if content is not None:
                yield PurePosixPath(*PurePosixPath(member.name).parts[1:]), content.read()


def _wanted(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix == ".py" and not path.is_absolute() and ".." not in path.parts


if __name__ == "__main__":
    sys.exit(main())
