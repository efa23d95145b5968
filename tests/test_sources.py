"""Bytes to text and positions; paths to files; projects; comments that suppress."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from xlalint.diagnostic import Position, Range
from xlalint.lazy.site import Site
from xlalint.settings import SettingsFinder
from xlalint.sources.discovery import DEFAULT_EXCLUDES, Found, Patterns, Scope, discover
from xlalint.sources.file import SourceFile, Unreadable, decode, show
from xlalint.sources.project import Projects, declared_target, requirement_range
from xlalint.sources.suppressions import Suppressions, find_suppressions
from xlalint.sources.syntax import parse
from xlalint.sources.usage import brings_xla
from xlalint.versions import VersionRange


def source(text: str | bytes) -> SourceFile:
    data = text.encode() if isinstance(text, str) else text
    file = decode(Path("/project/a.py"), "a.py", data)
    assert isinstance(file, SourceFile)
    return file


# Text and positions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"first\nsecond\nthird", id="LF"),
        pytest.param(b"first\r\nsecond\r\nthird", id="CRLF"),
        pytest.param(b"first\rsecond\rthird", id="CR"),
        pytest.param(b"\xef\xbb\xbffirst\nsecond\r\nthird", id="BOM and mixed ends"),
    ],
)
def test_lines_end_where_python_ends_them(data: bytes) -> None:
    assert source(data).lines == ["first", "second", "third"]


@pytest.mark.parametrize("separator", ["\f", "\v", "\x1c", "\x85", "\u2028"])
def test_other_separators_do_not_end_a_line(separator: str) -> None:
    file = source(f"a = 1 #{separator}still\nb = 2\n")
    tree = parse(file)
    assert isinstance(tree, ast.Module)
    assert file.line(tree.body[1].lineno) == "b = 2"


@pytest.mark.parametrize(
    ("line", "name", "column"),
    [
        pytest.param("x = loss", "loss", 5, id="ASCII"),
        pytest.param("é = loss", "loss", 5, id="two bytes are one column"),
        pytest.param("x = '😀😀'; loss", "loss", 11, id="astral characters are one column each"),
        pytest.param("if x:\tloss", "loss", 7, id="a tab is one column"),
    ],
)
def test_columns_count_code_points(line: str, name: str, column: int) -> None:
    file = source(line)
    tree = parse(file)
    assert isinstance(tree, ast.Module)
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name)
    assert node.end_lineno is not None and node.end_col_offset is not None
    site = Site(str(file.path), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    assert file.range(site) == Range(Position(1, column), Position(1, column + len(name)))
    assert file.site(*vars_of(file.range(site))) == site


def vars_of(place: Range) -> tuple[Position, Position]:
    return place.start, place.end


def test_a_site_without_columns_is_the_whole_line() -> None:
    file = source("if x:\n    torch_xla.sync()  \n")
    assert file.range(Site("", 2)) == Range(Position(2, 5), Position(2, 21))


def test_places_outside_the_text_are_kept_inside() -> None:
    file = source("short\n")
    assert file.range(Site("", 9, 3, 12, 80)) == Range(Position(2, 1), Position(2, 1))


@pytest.mark.parametrize(
    ("declaration", "encoding"),
    [
        ("# -*- coding: latin-1 -*-", "latin-1"),
        ("#!/usr/bin/python\n# vim: set fileencoding=cp1252 :", "cp1252"),
        ("# coding: utf-8", "utf-8"),
        ("# coding: euc-jp", "euc-jp"),
    ],
)
def test_declared_encodings_are_honoured(declaration: str, encoding: str) -> None:
    word = "日本" if encoding == "euc-jp" else "é"
    file = source(f"{declaration}\nname = '{word}'\n".encode(encoding))
    assert f"'{word}'" in file.lines[-2]


@pytest.mark.parametrize(
    "text",
    [
        "import torch_xla",
        "import os, torch_xla.core.xla_model as xm",
        "if True: from torch_xla import runtime",
        "from compat import (\n    torch_xla,\n)",
        "import torch_xla_py.xla_model as xm",
        "'torch_xla'\nimport torch_xla",
        'xm = importlib.import_module("torch_xla.core.xla_model")',
        "xm = import_module(\n    name='torch_xla.core.xla_model'\n)",
        '__import__("torch_xla")',
        'model.to("xla")',
        "DEVICE = 'xla'",
        'DEVICE = "xla:1"',
        'DEVICE = f"xla:{index}"',
        'model.to(\n    "xla"\n)',
        '"it\'s"\nx = "xla"',
        'x = "a \\" b" + "xla"',
        'os.environ["XLA_USE_BF16"] = "1"',
        'os.environ.setdefault("XRT_WORKERS", "")',
        'os.environ["PJRT_DEVICE"] = "TPU"',
        "os.environ.setdefault('PJRT_DEVICE', 'NEURON')",
    ],
)
def test_files_that_bring_xla_are_hot(text: str) -> None:
    assert brings_xla(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "import torch",
        "import accelerate",
        "# import torch_xla",
        '"""import torch_xla"""',
        "def f():\n    '''Uses\n    import torch_xla, or to(\"xla\").\n    '''",
        'print("import torch_xla")',
        'find_spec("torch_xla")',
        "is_torch_xla_available()",
        "from .torch_xla import install",
        "backend = 'xla_lazy'",
        'x = b"xla"',
        '"xla: a device"',
        'x = "xla:{index}"',
        'def f():\n    "xla"',
        "# model.to('xla')",
        "# os.environ['XLA_USE_BF16'] = '1'",
        'os.environ["TF_XLA_FLAGS"] = "--tf_xla_enable_xla_devices"',
        'print("set XLA_USE_BF16")',
        'if os.environ.get("PJRT_DEVICE", "") == "TPU":\n    pass',
        'os.environ.pop("PJRT_DEVICE", None)',
        '# os.environ["PJRT_DEVICE"] = "TPU"',
        "text = '''\nmodel.to(\"xla\")\n'''",
    ],
)
def test_files_that_speak_of_xla_are_not(text: str) -> None:
    assert not brings_xla(text.encode())


def test_settings_name_further_packages_that_bring_xla() -> None:
    assert brings_xla(b"import accelerate", ("accelerate",))
    assert not brings_xla(b"# accelerate", ("accelerate",))


def test_names_that_would_break_the_output_are_made_harmless() -> None:
    assert show(Path("a\nb.py")) == "a\N{REPLACEMENT CHARACTER}b.py"
    assert show(Path(os.fsdecode(b"\xff.py"))) == "\N{REPLACEMENT CHARACTER}.py"


# Discovery ---------------------------------------------------------------------------------------


def found_in(root: Path, *, gitignore: bool = True, extend: tuple[str, ...] = ()) -> list[str]:
    scope = Scope((Patterns(root, (*DEFAULT_EXCLUDES, *extend)),), gitignore, None)
    found = discover([root], lambda directory: scope)
    return [Path(item.path).relative_to(root).as_posix() for item in found]


def lay_out(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def test_python_files_and_notebooks_are_found_in_order(tmp_path: Path) -> None:
    lay_out(tmp_path, "b.py", "a.pyi", "c.txt", "n.ipynb", "sub/z.py", "sub/deep/a.py", "a/a.py")
    assert found_in(tmp_path) == ["a.pyi", "b.py", "n.ipynb", "a/a.py", "sub/z.py", "sub/deep/a.py"]


def test_directories_of_tools_are_passed_over(tmp_path: Path) -> None:
    lay_out(tmp_path, "a.py", *(f"{name}/b.py" for name in (".venv", "node_modules", "build", "__pycache__")))
    assert found_in(tmp_path) == ["a.py"]


def test_nested_gitignores_count_and_the_innermost_wins(tmp_path: Path) -> None:
    lay_out(tmp_path, "a.py", "gen.py", "sub/gen.py", "sub/b.py", "out/c.py", "sub/only/d.py", "only/e.py")
    (tmp_path / ".gitignore").write_text("gen.py\n/out/\n# a comment\n\n")
    (tmp_path / "sub" / ".gitignore").write_text("!gen.py\n/only\n")
    assert found_in(tmp_path) == ["a.py", "only/e.py", "sub/b.py", "sub/gen.py"]
    assert "out/c.py" in found_in(tmp_path, gitignore=False)


def test_gitignores_around_count_up_to_the_repository(tmp_path: Path) -> None:
    lay_out(tmp_path, "repository/sub/a.py", "repository/sub/b.py", "repository/sub/c.py")
    (tmp_path / ".gitignore").write_text("a.py\n")
    (tmp_path / "repository" / ".gitignore").write_text("sub/b.py\n")
    (tmp_path / "repository" / ".git" / "info").mkdir(parents=True)
    (tmp_path / "repository" / ".git" / "info" / "exclude").write_text("c.py\n")
    assert found_in(tmp_path / "repository" / "sub") == ["a.py"]


def test_a_gitignore_with_a_broken_line_still_counts(tmp_path: Path) -> None:
    lay_out(tmp_path, "a.py", "b.py")
    (tmp_path / ".gitignore").write_bytes(b"!\n\xff\xfe\nb.py\n")
    assert found_in(tmp_path) == ["a.py"]


def test_a_gitignore_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    lay_out(tmp_path, "a.py", "b.py")
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfb.py\r\n")
    assert found_in(tmp_path) == ["a.py"]


def test_further_excludes_read_like_a_gitignore(tmp_path: Path) -> None:
    lay_out(tmp_path, "a.py", "gen/a.py", "sub/gen/b.py", "sub/old_b.py", "sub/c.py")
    assert found_in(tmp_path, extend=("/gen", "old_*.py")) == ["a.py", "sub/c.py", "sub/gen/b.py"]


@pytest.mark.parametrize("force", [False, True])
def test_named_files_are_always_taken_unless_excludes_are_forced(tmp_path: Path, force: bool) -> None:
    lay_out(tmp_path, "build/a.py", "script")
    scope = Scope((Patterns(tmp_path, DEFAULT_EXCLUDES),), True, None)
    paths = [tmp_path / "build" / "a.py", tmp_path / "script"]
    found = [*discover(paths, lambda directory: scope, force_exclude=force)]
    assert found == [Found(str(path), True, scope) for path in (paths[1:] if force else paths)]


def test_a_file_reached_twice_is_found_once(tmp_path: Path) -> None:
    lay_out(tmp_path, "a.py")
    scope = Scope((), True, None)
    assert len([*discover([tmp_path / "a.py", tmp_path, tmp_path], lambda directory: scope)]) == 1


def test_links_to_files_are_followed_and_links_to_directories_are_not(tmp_path: Path) -> None:
    lay_out(tmp_path, "real/a.py")
    (tmp_path / "b.py").symlink_to("real/a.py")
    (tmp_path / "around").symlink_to(".")
    (tmp_path / "folder.py").symlink_to("real")
    (tmp_path / ".#lock.py").symlink_to("someone@somewhere")
    assert found_in(tmp_path) == ["b.py", "real/a.py"]


def test_a_directory_that_cannot_be_listed_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path, "a.py", "shut/b.py")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    scope = Scope((), True, None)
    first, second = discover([tmp_path], lambda directory: scope)
    assert isinstance(first, Found)
    assert isinstance(second, Unreadable)
    assert second.reason == "cannot list this directory: permission denied"


# Projects ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requirement", "low", "high"),
    [
        ("torch_xla==2.5.1", (2, 5), (2, 5)),
        ("torch-xla>=2.1,<2.6", (2, 1), (2, 5)),
        ("torch_xla[tpu]~=2.5.0; python_version > '3.8'", (2, 5), (2, 5)),
        ("torch_xla~=2.5", (2, 5), (2, 9)),
        ("Torch.XLA == 2.5.*", (2, 5), (2, 5)),
        ("torch_xla<2.6", (2, 0), (2, 5)),
        ("torch_xla<=2.4", (2, 0), (2, 4)),
        ("torch_xla>=1.13", (1, 13), (2, 9)),
        ("torch_xla<2.5.2,>=2.3", (2, 3), (2, 5)),
        ("torch_xla ^2.4", (2, 4), (2, 9)),
        ("torch_xla==2.7.0.dev20250101", (2, 7), (2, 7)),
        ("torch_xla @ https://example.org/torch_xla-2.6.0-cp310-cp310-linux_x86_64.whl", (2, 6), (2, 6)),
        ("torch-neuronx==2.1.2.2.3.0", (2, 1), (2, 1)),
        pytest.param(f"torch_xla==2.5.{'9' * 5000}", (2, 5), (2, 5), id="thousands of digits"),
    ],
)
def test_requirements_name_the_target(requirement: str, low: tuple[int, int], high: tuple[int, int]) -> None:
    assert requirement_range(requirement) == VersionRange(low, high)


@pytest.mark.parametrize(
    "requirement", ["torch==2.5", "torch_xla", "torch_xla_extra==1.0", "my-torch_xla==1.0"]
)
def test_other_requirements_name_none(requirement: str) -> None:
    assert requirement_range(requirement) is None


@pytest.mark.parametrize(
    "text",
    [
        '[project]\ndependencies = ["torch", "torch_xla>=2.3,<2.5"]',
        '[project.optional-dependencies]\ntpu = ["torch_xla==2.3"]\nnew = ["torch_xla==2.4.1"]',
        '[dependency-groups]\ndev = ["torch_xla~=2.3.0", "torch-xla==2.4", {include-group = "x"}]',
        '[tool.poetry.dependencies]\ntorch_xla = {version = ">=2.3,<2.5", optional = true}',
    ],
    ids=["dependencies", "optional", "groups", "poetry"],
)
def test_pyproject_names_the_target(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    declared = declared_target(tmp_path)
    assert declared is not None
    assert declared.versions == VersionRange((2, 3), (2, 4))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "setup.py",
            "setup(install_requires=['torch', 'torch_xla[tpu]>=2.3,<2.5; sys_platform == \"linux\"'])",
        ),
        ("setup.py", "extras = {'tpu': ('torch_xla==2.3.0',)}\nREQUIRED = ['torch_xla~=2.4.0']\nsetup()"),
        ("setup.cfg", "[options]\ninstall_requires =\n    torch\n    torch_xla>=2.3,<2.5\n"),
        ("setup.cfg", "[options.extras_require]\na = torch-xla==2.3\nb =\n  # old\n  torch_xla==2.4\n"),
        (
            "environment.yml",
            "dependencies:\n  - conda-forge::torch_xla=2.3=cpu  # a\n  - pip:\n    - 'torch_xla==2.4'\n",
        ),
        ("environment-tpu.yaml", 'dependencies: \n- pip:\n  - "torch_xla>=2.3,<2.5"\n'),
        ("requirements.txt", "torch-neuronx==2.3.0.2.4\ntorch_neuronx==2.4.*\n"),
        (
            "uv.lock",
            "[[package]]\nname = 'torch-xla'\nversion = '2.3.0'\n"
            "[[package]]\nname = 'torch_xla'\nversion = '2.4.0'",
        ),
        (
            "poetry.lock",
            '[[package]]\nname="torch-neuronx"\nversion="2.3.1.2"\n[[package]]\nname="torch-xla"\nversion="2.4"',
        ),
    ],
)
def test_other_files_name_the_target_too(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    declared = declared_target(tmp_path)
    assert declared == (VersionRange((2, 3), (2, 4)), str(tmp_path / name))
    assert Projects().requires(tmp_path)


def test_a_lock_counts_where_people_name_no_version(tmp_path: Path) -> None:
    lock = tmp_path / "uv.lock"
    lock.write_text('[[package]]\nname = "torch-xla"\nversion = "2.6.0"\n')
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch_xla"]')
    assert declared_target(tmp_path) == (VersionRange((2, 6), (2, 6)), str(lock))
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch_xla>=2.5,<2.8"]')
    declared = declared_target(tmp_path)
    assert declared is not None
    assert declared.versions == VersionRange((2, 5), (2, 7))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", "setup(name='torch_xla', description='torch_xla==2.3'"),
        ("setup.py", "setup(name='torch_xla', description='torch_xla==2.3')"),
        ("setup.cfg", "torch_xla = 1\n"),
        ("setup.cfg", "[metadata]\nname = torch_xla\n"),
        ("environment.yml", "# - torch_xla=2.3\nname: torch_xla\n"),
        ("uv.lock", "[[package]\nname = 'torch_xla'"),
        ("uv.lock", "package = 'torch_xla'"),
        ("poetry.lock", "[[package]]\nname = 'torch_xla'"),
    ],
)
def test_what_names_no_version_or_cannot_be_read_is_passed_over(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert declared_target(tmp_path) is None


def test_requirements_files_name_the_target_for_the_tree_below(tmp_path: Path) -> None:
    lay_out(tmp_path, "a/b/c.py")
    (tmp_path / "requirements-tpu.txt").write_text(
        "-r base.txt\n# torch_xla==1.0\ntorch_xla==2.2  # pinned\n"
    )
    assert Projects().target(tmp_path / "a" / "b") == VersionRange((2, 2), (2, 2))


def test_the_target_is_not_looked_for_outside_the_repository(tmp_path: Path) -> None:
    lay_out(tmp_path, "repository/.git/HEAD")
    (tmp_path / "requirements.txt").write_text("torch_xla==2.2\n")
    assert Projects().target(tmp_path / "repository") is None


@pytest.mark.parametrize(
    "text", ["torch_xla = [", 'project = "torch_xla"', "[project]\ndependencies = {torch_xla = 1}"]
)
def test_a_broken_pyproject_of_others_names_no_target(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert declared_target(tmp_path) is None


def test_imports_start_at_the_project_and_its_src(tmp_path: Path) -> None:
    lay_out(tmp_path, "setup.py", "src/package/module.py", "other/setup.cfg")
    projects = Projects()
    assert projects.import_roots(tmp_path / "src" / "package") == (tmp_path, tmp_path / "src")
    assert projects.import_roots(tmp_path / "other") == (tmp_path / "other",)


# Suppressions ------------------------------------------------------------------------------------


def silenced(suppressions: Suppressions, line: int, code: str = "XLA101", *, end: int | None = None) -> bool:
    place = Range(Position(line, 1), Position(end or line, 9))
    return suppressions.silences(code, ("host-read-in-step",), place)


@pytest.mark.parametrize(
    "comment",
    [
        "# xlalint: ignore[XLA101]",
        "# xlalint: ignore[XLA301, XLA101] once per epoch",
        "#xlalint:ignore[host-read-in-step]",
        "# xlalint: ignore",
        "# noqa: XLA101",
        "# noqa:E501,XLA101",
        "# NOQA: xla101",
        "# noqa",
        "# type: ignore  # noqa: XLA101",
    ],
)
def test_comments_that_silence(comment: str) -> None:
    assert silenced(find_suppressions(source(f"print(loss)  {comment}\n")), 1)


@pytest.mark.parametrize(
    "comment",
    [
        "# xlalint: ignore[XLA102]",
        "# xlalint: ignore[]",
        "# noqa: E501",
        "# noqa: because",
        "# ignore[XLA101]",
        "'# xlalint: ignore[XLA101]'",
    ],
)
def test_comments_that_do_not_silence(comment: str) -> None:
    assert not silenced(find_suppressions(source(f"print(loss) {comment}\n")), 1)


_STATEMENT = """\
before()
log(
    loss.item(),
    step,
){}
after()
"""


@pytest.mark.parametrize("line", [2, 3, 4, 5])
def test_the_last_line_speaks_for_the_whole_statement(line: int) -> None:
    suppressions = find_suppressions(source(_STATEMENT.format("  # noqa: XLA101")))
    assert silenced(suppressions, line)
    assert not silenced(suppressions, 1)
    assert not silenced(suppressions, 6)


def test_the_first_line_speaks_for_the_whole_statement() -> None:
    suppressions = find_suppressions(source("log(  # noqa: XLA101\n    a,\n    loss.item(),\n)\nafter()\n"))
    assert [silenced(suppressions, line) for line in range(1, 6)] == [True, True, True, True, False]


def test_a_comment_inside_a_statement_speaks_for_its_line_and_what_touches_it() -> None:
    suppressions = find_suppressions(source("log(\n    a,\n    loss.item(),  # noqa: XLA101\n)\n"))
    assert silenced(suppressions, 3)
    assert not silenced(suppressions, 2)
    assert silenced(suppressions, 1, end=4)


def test_a_header_does_not_speak_for_the_body() -> None:
    suppressions = find_suppressions(source("for x in loader:  # noqa: XLA101\n    print(x)\n"))
    assert silenced(suppressions, 1)
    assert not silenced(suppressions, 2)


def test_a_file_comment_speaks_for_every_line() -> None:
    suppressions = find_suppressions(source("# xlalint: ignore-file[XLA101] a demo\na\nb\n"))
    assert silenced(suppressions, 3)
    assert not silenced(suppressions, 3, "XLA102")


def test_lines_are_counted_as_python_counts_them() -> None:
    suppressions = find_suppressions(source("a = 1 # \f \u2028\r\nb = 2\rc = 3  # noqa: XLA101\n"))
    assert [silenced(suppressions, line) for line in (1, 2, 3)] == [False, False, True]


def test_a_file_that_cannot_be_split_into_tokens_suppresses_nothing() -> None:
    assert not find_suppressions(source("x = (  # noqa: XLA101\n")).all


def test_settings_scope_the_walk(tmp_path: Path) -> None:
    """A nearer settings file changes what is excluded below it."""
    from xlalint.gathering import find_files

    lay_out(tmp_path, "gen/a.py", "sub/gen/b.py", "sub/c.py")
    (tmp_path / "xlalint.toml").write_text('extend-exclude = ["gen"]')
    (tmp_path / "sub" / "xlalint.toml").write_text('exclude = ["c.py"]')
    found = [
        Path(item.path).relative_to(tmp_path).as_posix() for item in find_files([tmp_path], SettingsFinder())
    ]
    assert found == ["sub/gen/b.py"]
