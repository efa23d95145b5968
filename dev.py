"""Set up a clone of xlalint and do one thing with it: `python3 dev.py demo` or `python3 dev.py test`.

Needs nothing but Python. Everything is installed into .venv/ beside this file.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036 - a clone may be tried with any Python
    sys.exit("xlalint needs Python 3.10 or later; this is " + sys.version.split()[0])

import hashlib
import json
import platform
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
SCRIPTS = ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin")
PYTHON = SCRIPTS / "python"
PIP = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
STAMP = ENVIRONMENT / "installed.json"
SHOWN = (SCRIPTS / "xlalint").relative_to(ROOT)
"""The command as a user types it in the clone."""

DEMO = "examples/train_digits"
ALL_TESTS = ["-n", "2", "--no-loadscope-reorder", "--durations=10"]
"""How pytest runs all tests: in two processes, the longest first."""
USAGE = """\
usage: python3 dev.py demo              install xlalint into .venv and check a training program with it
       python3 dev.py test [ARGUMENT..] install what the tests need into .venv and run them;
                                        arguments go to pytest"""


def main(arguments: list[str]) -> int:
    """Do what `arguments` ask for. Returns the exit status: 0 when it went as it should."""
    if arguments == ["demo"]:
        install_package()
        return demo()
    if arguments[:1] == ["test"]:
        install_for_tests()
        return test(arguments[1:])
    print(USAGE, file=sys.stderr)
    return 2


def demo() -> int:
    """Check the training program that ships with the project; it contains deliberate bugs."""
    xlalint = str(SCRIPTS / "xlalint")
    run([xlalint, "version"])
    say(f"$ {SHOWN} check {DEMO}")
    status = subprocess.run([xlalint, "check", DEMO], cwd=ROOT).returncode
    if status != 1:
        say(
            f"The demo failed: it should report diagnostics and exit with status 1, but exited with {status}."
        )
        return 1
    say(
        "The example contains these bugs on purpose. xlalint is installed in .venv; run it from there:\n\n"
        f"  {SHOWN} check PATH   check your own code\n"
        f"  {SHOWN} rule CODE    explain a rule, such as XLA101\n"
        f"  {SHOWN} --help       list all commands"
    )
    return 0


def test(arguments: list[str]) -> int:
    """Run the tests, on the real engine where it has a wheel."""
    missing = why_no_engine()
    status = subprocess.run([str(PYTHON), "-m", "pytest", *(arguments or ALL_TESTS)], cwd=ROOT).returncode
    if missing:
        say(f"Tests on the engine: not run: {missing}.")
    return status


def why_no_engine() -> str | None:
    """Why torch_xla is not there, or None when it is.

    Raises:
        SystemExit: it has a wheel for this platform and is missing all the same.
    """
    probe = "import importlib.util as u, sys; print(u.find_spec('torch_xla') is None, *sys.version_info[:2])"
    probed = subprocess.run([str(PYTHON), "-c", probe], capture_output=True, text=True, check=True)
    missing, major, minor = probed.stdout.split()
    if missing == "False":
        return None
    version = (int(major), int(minor))
    if sys.platform == "linux" and platform.machine() == "x86_64" and version < (3, 14):
        sys.exit("torch_xla has a wheel for this platform but is not in .venv; remove .venv and try again")
    return f"no wheel of torch_xla for Python {major}.{minor} on {sys.platform} {platform.machine()}"


def install_package() -> None:
    """Bring .venv to what a user gets: the package, compiled where there is a C compiler."""
    wanted = {**requirements(), "sources": digest_of(*packaged())}
    known = installed()
    if works(PYTHON) and known == {**wanted, "extra": known.get("extra", "")}:
        return
    if not works(PYTHON):
        create_environment()
        known = {}
    say("Installing xlalint into .venv (compiling it takes a minute or two) ...")
    # The version is the same as before, whatever has changed.
    if not installed_with_uv("--reinstall-package", "xlalint", "."):
        say("uv cannot be used here; pip takes a few minutes longer ...")
        run([*PIP, "."])
    # What only the tests need stays where it is.
    STAMP.write_text(json.dumps({**wanted, "extra": known.get("extra", "")}))


def install_for_tests() -> None:
    """Bring .venv to what the tests need, with the sources where they are: these are tested."""
    wanted = {**requirements(), "sources": "", "extra": "dev"}
    if works(PYTHON) and installed() == wanted:
        return
    if not works(PYTHON):
        create_environment()
    say("Installing xlalint and what its tests need into .venv (PyTorch takes 7 GB on disk) ...")
    if not installed_with_uv("-e", ".[dev]"):
        say("uv cannot be used here; pip takes a few minutes longer ...")
        run([*PIP, "-e", ".[dev]"])
    STAMP.write_text(json.dumps(wanted))


def installed() -> dict[str, str]:
    """What .venv was brought to; empty where that is not known."""
    try:
        found = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def requirements() -> dict[str, str]:
    """What changes when other packages may be needed."""
    return {"pyproject": digest_of(ROOT / "pyproject.toml")}


def packaged() -> list[Path]:
    """The files that the package is made of, and what makes it."""
    folders = (ROOT / "xlalint", ROOT / "rules", ROOT / "runtime_shim")
    files = (file for folder in folders for file in folder.rglob("*"))
    return [ROOT / "hatch_build.py", *sorted(f for f in files if f.is_file() and f.suffix != ".pyc")]


def digest_of(*files: Path) -> str:
    """What changes when one of some files does, or comes or goes."""
    parts = (f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes() for file in files)
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def create_environment() -> None:
    """Make .venv, also where Debian's Python comes without ensurepip."""
    say(f"Creating .venv with Python {platform.python_version()} ...")
    if ENVIRONMENT.exists():
        shutil.rmtree(ENVIRONMENT)
    made = subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], capture_output=True, text=True)
    if made.returncode == 0:
        return
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    uv = shutil.which("uv")
    if uv is not None:
        run([uv, "venv", "--quiet", "--python", sys.executable, str(ENVIRONMENT)])
        return
    bare = [sys.executable, "-m", "venv", "--without-pip", str(ENVIRONMENT)]
    borrowed = [sys.executable, "-m", "pip", "--quiet", "--python", str(PYTHON), "install", "pip"]
    if all(subprocess.run(command, capture_output=True).returncode == 0 for command in (bare, borrowed)):
        return
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    sys.exit(
        f"{sys.executable} cannot create a virtual environment: Debian and Ubuntu\n"
        f"package that part separately. "
        f"Either `sudo apt install python{version}-venv`, or install uv or pip, and run this again.\n"
        f"What it said:\n{made.stdout}{made.stderr}"
    )


def installed_with_uv(*asked: str) -> bool:
    """Install with uv, which is much faster than pip. False where it cannot be had or fails.

    uv does not read pip's own settings, so that pip may reach an index that uv does not.
    """
    uv = shutil.which("uv", path=str(SCRIPTS)) or shutil.which("uv")
    if uv is None and subprocess.run([*PIP, "uv"], capture_output=True).returncode == 0:
        uv = shutil.which("uv", path=str(SCRIPTS))
    if uv is None:
        return False
    command = [uv, "pip", "install", "--quiet", "--python", str(PYTHON), *asked]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def works(python: Path) -> bool:
    """Whether there is a Python to use in .venv: one may be left of an older or moved clone."""
    if not python.exists():
        return False
    probe = "import sys; sys.exit(sys.version_info < (3, 10))"
    return subprocess.run([str(python), "-c", probe], capture_output=True).returncode == 0


def run(command: list[str]) -> None:
    """Run `command` in the clone; its failure ends this program with its status."""
    status = subprocess.run(command, cwd=ROOT).returncode
    if status != 0:
        say(f"failed with exit status {status}: {' '.join(command)}")
        sys.exit(status)


def say(text: str) -> None:
    """Print at once, so that it stands in order with what child processes print."""
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
