"""What must be absent, as far as import-linter (pyproject.toml) cannot see it."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from translate import constants

ROOT = Path(__file__).resolve().parent.parent
ANALYZER = ROOT / "xlalint"
RULES = ROOT / "rules" / "xlalint_rules"
GUARD = ROOT / "runtime_shim" / "xlalint_runtime"

IMPORTING = frozenset({"importlib", "imp", "runpy", "pkgutil", "zipimport"})
LOOKING = ("importlib.metadata", "importlib.resources", "importlib.util.find_spec")
"""Parts of importlib that look at what is installed and run nothing of it."""
IMPORTING_BY_NAME = (
    "xlalint/registry.py", "xlalint/plugins.py", "xlalint/cli/command.py", "xlalint/output/formats.py"
)  # fmt: skip
RUNNING = frozenset({"exec", "eval", "__import__"})
COSTLY_PARTS_OF_LIBCST = ("libcst.metadata", "libcst.matchers", "libcst.codemod", "libcst.helpers")


FRAMEWORKS = ANALYZER / "knowledge" / "frameworks"
"""Programs that are read as what is analyzed is, and never run: they are no modules of ours."""


UNLIKE_COMPILED = frozenset({"cached_property", "__new__", "vars", "__dict__"})
"""A cached property of a compiled class finds its value out each time, for one."""
IN_ORDER = (ast.Compare, ast.BinOp, ast.Call, ast.Tuple, ast.List, ast.Dict, ast.Set)
"""What evaluates its parts one after the other."""


def compiled() -> tuple[str, ...]:
    """The modules that are compiled, and the folders of such, as hatch_build.py says."""
    return constants(ROOT / "hatch_build.py")["PARTS"]


def modules(*places: Path) -> list[Path]:
    found = (path for place in places for path in ([place] if place.is_file() else place.rglob("*.py")))
    return sorted(path for path in found if path.parent != FRAMEWORKS)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imported(path: Path) -> frozenset[str]:
    """Every module that `path` imports, at whatever depth, `from a import b` as `a.b`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names}
    return frozenset(found)


def test_there_is_something_to_look_at() -> None:
    assert len(modules(ANALYZER)) > 10
    assert len(modules(RULES)) > 10


@pytest.mark.parametrize("path", [*modules(ANALYZER / "lazy"), ANALYZER / "diagnostic.py"], ids=name)
def test_the_model_and_the_diagnostics_need_only_the_standard_library(path: Path) -> None:
    for module in imported(path):
        package = module.split(".")[0]
        for_type_checkers = module == "typing_extensions.dataclass_transform"  # they bring it along
        is_standard = package in sys.stdlib_module_names or for_type_checkers
        assert is_standard or module.startswith("xlalint.lazy."), module


@pytest.mark.parametrize("path", modules(ANALYZER, RULES), ids=name)
def test_analyzed_code_is_never_imported_or_executed(path: Path) -> None:
    """By name, the registry imports rules, of packages whose entry points say so; others modules that stand
    beside them."""
    tree = ast.parse(path.read_text())
    if name(path) not in IMPORTING_BY_NAME:
        for module in imported(path):
            assert module.split(".")[0] not in IMPORTING or module.startswith(LOOKING), module
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in RUNNING, f"line {node.lineno}"
            assert node.func.id != "compile" or _makes_only_a_tree(node), f"line {node.lineno}"


@pytest.mark.parametrize("path", modules(ANALYZER, RULES, GUARD), ids=name)
def test_the_costly_parts_of_libcst_are_left_alone(path: Path) -> None:
    for module in imported(path):
        assert not module.startswith(COSTLY_PARTS_OF_LIBCST), module


@pytest.mark.parametrize("path", modules(ANALYZER), ids=name)
def test_only_the_command_prints_and_exits(path: Path) -> None:
    if path.parent.name == "cli" or path.name == "__main__.py":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(func=ast.Name(id="print" | "exit")):
                raise AssertionError(f"line {node.lineno}")
            case ast.Call(func=ast.Attribute(value=ast.Name(id="sys"), attr="exit")):
                raise AssertionError(f"line {node.lineno}")


@pytest.mark.parametrize("module", ["libcst", "torch", "torch_xla", "asyncio"])
def test_start_up_leaves_costly_modules_out(module: str, tmp_path: Path) -> None:
    """`xlalint check` on code that mentions no XLA must not pay for them."""
    program = (
        "import sys; from xlalint.cli import main\n"
        "sys.argv = ['xlalint', 'check', '--isolated', '-']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"sys.exit({module!r} in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, input="x = 1\n", text=True, capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", modules(*(ROOT / part for part in compiled())), ids=name)
def test_the_constants_of_what_is_compiled_are_final(path: Path) -> None:
    """Compiled code looks up whatever else a module holds by its name, each time."""
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=constant)], value=value) if constant.isupper():
                is_type = isinstance(value, ast.Call) and ast.unparse(value.func) == "TypeVar"
                assert is_type, f"{constant}, line {node.lineno}"
            case ast.AnnAssign(target=ast.Name(id=constant), annotation=held) if constant.isupper():
                assert ast.unparse(held).startswith("Final"), f"{constant}, line {node.lineno}"


@pytest.mark.parametrize("path", modules(*(ROOT / part for part in compiled())), ids=name)
def test_what_is_compiled_says_the_same_as_interpreted(path: Path) -> None:
    """What the compiler takes for something else, without a word; ARCHITECTURE.md, "Compiled"."""
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    assigns_within = any(isinstance(node, ast.NamedExpr) for node in nodes)
    for node in nodes:
        if assigns_within and isinstance(node, IN_ORDER):
            assert not _reads_before_it_assigns(node), f"line {node.lineno}"
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word):
                assert word not in UNLIKE_COMPILED, f"line {node.lineno}"
            case ast.BinOp(right=ast.Call(func=ast.Attribute(attr="keys"))):
                raise AssertionError(f"line {node.lineno}: with keys, a frozenset becomes a set")
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[asked]) if _is_generator(asked):
                raise AssertionError(f"line {node.lineno}: a compiled generator knows no `in`")
            case ast.Compare(
                ops=[ast.In() | ast.NotIn()], comparators=[ast.List(elts=asked) | ast.Tuple(elts=asked)]
            ):
                # It compares with each element one by one, and ends in an error of its own.
                assert not any(isinstance(each, ast.Starred) for each in asked), f"line {node.lineno}"
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Tuple | ast.List) for t in node.targets):
            assert not _is_iterator(node.value), f"line {node.lineno}: what it raises becomes a ValueError"


def _is_iterator(node: ast.expr) -> bool:
    """Whether an expression makes an iterator, which is no list yet."""
    match node:
        case ast.Call(func=ast.Name(id="map" | "filter" | "zip" | "iter" | "reversed" | "enumerate")):
            return True
    return isinstance(node, ast.GeneratorExp)


def _is_generator(node: ast.expr) -> bool:
    """Whether an expression makes a generator, by itself or by one of our functions."""
    match node:
        case ast.Call(func=ast.Name(id=called)):
            return called in generators()
    return isinstance(node, ast.GeneratorExp)


@cache
def generators() -> frozenset[str]:
    """The names of the functions that yield, in what is compiled."""
    functions = (
        node
        for path in modules(*(ROOT / part for part in compiled()))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    )
    return frozenset(
        function.name
        for function in functions
        if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(function))
    )


def test_programs_of_frameworks_are_data() -> None:
    assert list(FRAMEWORKS.glob("*.py"))
    assert not (FRAMEWORKS / "__init__.py").exists()


def _makes_only_a_tree(call: ast.Call) -> bool:
    return any("PyCF_ONLY_AST" in ast.unparse(argument) for argument in [*call.args, *call.keywords])


def _reads_before_it_assigns(node: ast.expr) -> bool:
    """Whether a part of an expression assigns a name that one before it reads: which value, differs."""
    read: set[str] = set()
    for part in ast.iter_child_nodes(node):
        assigned = {inner.target.id for inner in ast.walk(part) if isinstance(inner, ast.NamedExpr)}
        if assigned & read:
            return True
        # What is no plain name has been evaluated by then.
        read |= {part.id} if isinstance(part, ast.Name) else set()
    return False
