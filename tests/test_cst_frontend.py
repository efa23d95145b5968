"""LibCST's trees as `ast` nodes: equal to what the host's own parser gives, and beyond it."""

import ast
import hashlib
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest

from xlalint.program.cst_frontend import parse

NEWER = (Path(__file__).parent / "syntax" / "newer.txt").read_text().partition("\n")[2].split("----\n")
POSITIONS = ("lineno", "col_offset", "end_lineno", "end_col_offset")

TRICKY = [
    "",
    "x = 1",  # no newline at the end
    "# a comment alone",
    "x = 1\r\ny = '''a\r\nb'''\r\nz = 2\r\n",
    "def f():\n\tif x:\n\t\treturn 1\n",
    "print(*a, **b)\x0c\nx = 1\n",
    "ä.ö = '日本'; x = 2\n\N{MATHEMATICAL BOLD SMALL X} = 3\n",
    "x = (1,\n 2) ; y = 3 ;\n",
    "x[1:2, ::3, *a]\nx[a,]\nx[(a)]\nx[(1, 2)]\nx[*a]\n" if sys.version_info >= (3, 11) else "x[1:2, ::3]\n",
    "f(x for x in y)\nf((x for x in y), 1)\nf ( x for x in y )\n",
    "del (a), b\ndel (a, b)\ndel a,\n",
    "for x, in y: pass\nfor (x, y) in z: pass\nelse: pass\n",
    "def f():\n  x = yield 1, 2,\n  yield from (a)\n  return (a), b,\n",
    "async def f():\n  async with a as b, c: pass\n  return [await x async for x in y if x if y]\n",
    "raise (A) from (B)\nassert (a, b), ('x')\n",
    "from . import (a as b, c,)\nfrom .. x import *\nimport a . b as c\n",
    "a and b and (c and d) or e\nnot a\n-1 ** -2\na < b != (c)\n(a if b else (c))\n",
    "@a.b(c)\n@d\nasync def f(a, /, b: int = 1, *c, d=2, **e) -> (int): pass\n",
    "lambda: 0\nlambda *a, b=1, **c: (yield)\nlambda a, /, b: a\n",
    "x: int\nx: int = (3)\nx.y: (int)\nx += (1)\n",
    "x = b'a' b'b'\ny = 'a' u'b'\nz = u'a' 'b'\n",
    "with (a as b, c,): pass\nwith a, b as (c, d): pass\nwith (a): pass\n",
    "try: pass\nexcept (A, B) as e: pass\nexcept: pass\nelse: pass\nfinally: pass\n",
    "match x, y:\n  case [a, *_] | {'k': 1, **r} | C(1, y=2) as z if z: pass\n  case a, : pass\n"
    "  case (a, b) | (c): pass\n  case -1 | 1+2j | 'a' 'b' | None | m.n: pass\n  case _: pass\n",
    "f'{x:%H:%M}' f\"{x:{'a'}}\" f'{{}}' rf'\\d{x}' f'\\N{EM DASH}{{'\nf'{a=!r:^{b}}' 'c' f'{ x = }'\n",
    'f"""{x} "{y}" \'\\"{z}""\\\'"""\n',
    "if 1: pass\nelif 2: pass\nelse: pass\nwhile 1: break\nelse: continue\n",
    "class A(B, *C, metaclass=D, **E): x: int = 1\n",
    "x = {**a, 'b': 1, 1: {1, *b}}\ny = {a: b for a, b in c}\nz = {a for a in b}\nw = [*a, b]\nv = ()\n",
]


@pytest.mark.parametrize("text", TRICKY)
def test_small_programs_give_the_tree_of_the_host(text: str) -> None:
    assert dump(parse(text)) == dump(ast.parse(text))


def sample() -> list[Path]:
    """Sixty files of the standard library and of what is installed, the same in every run."""
    paths = sysconfig.get_paths()
    roots = [
        Path(paths["stdlib"]),
        *(Path(paths["purelib"]) / package for package in ("libcst", "rich", "click")),
    ]
    found = {
        f"{root.name}/{path.relative_to(root).as_posix()}": path
        for root in roots
        for path in root.rglob("*.py")
        if "site-packages" not in path.relative_to(root).parts and path.stat().st_size < 100_000
    }
    chosen: list[Path] = []
    for name in sorted(found, key=lambda name: hashlib.sha256(name.encode()).hexdigest()):
        try:
            host_tree(found[name].read_text(encoding="utf-8"))
        except (SyntaxError, ValueError):
            continue  # data of the parser's own tests
        chosen.append(found[name])
        if len(chosen) == 60:
            break
    return chosen


def host_tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


@pytest.mark.parametrize("path", sample(), ids=lambda path: path.name)
def test_files_give_the_tree_of_the_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert dump(parse(text)) == dump(host_tree(text))


@pytest.mark.parametrize("block", NEWER, ids=lambda block: block.partition("\n")[0])
def test_newer_syntax_means_what_older_syntax_says(block: str) -> None:
    newer, _, older = block.partition("=>\n")
    if "type_params" in ast.FunctionDef._fields and "[" in newer.partition("\n")[0]:
        pytest.skip("the host has nodes of its own for type parameters")
    expected = ast.dump(ast.parse(older))
    if newer.startswith("type") and hasattr(ast, "TypeAlias"):
        pytest.skip("the host has a node of its own for type aliases")
    if "except*" in newer:
        expected = expected.replace("Try(", "TryStar(") if hasattr(ast, "TryStar") else expected
    assert ast.dump(parse(newer)) == expected
    compile(parse(newer), "newer", "exec")


def test_positions_inside_newer_syntax_are_those_of_the_text() -> None:
    text = 'def f[T](x: T) -> T:\n    é = f"{a["é"]} {xm.mark_step()}"\n'
    (call,) = (node for node in ast.walk(parse(text)) if isinstance(node, ast.Call))
    line = text.splitlines()[call.lineno - 1].encode()
    assert line[call.col_offset : call.end_col_offset] == b"xm.mark_step()"


def test_a_byte_order_mark_takes_no_column() -> None:
    assert dump(parse("\ufeffx = 1\n")) == dump(ast.parse("x = 1\n"))


@pytest.mark.parametrize(("text", "line"), [("x = 1\nx = = 2\n", 2), ("if x:\ny\n", 2)])
def test_what_libcst_cannot_parse_either_is_a_syntax_error_with_its_line(text: str, line: int) -> None:
    with pytest.raises(SyntaxError) as raised:
        parse(text)
    assert raised.value.lineno == line


def test_known_gap_an_annotation_of_a_name_in_parentheses_is_refused() -> None:
    ast.parse("(x): int\n")
    with pytest.raises(SyntaxError):
        parse("(x): int\n")


def test_known_gap_columns_behind_a_blank_after_a_conversion_are_too_small() -> None:
    text = 'f"{x!r  }", y'
    names = [node for node in ast.walk(parse(text)) if isinstance(node, ast.Name) and node.id == "y"]
    assert [name.col_offset for name in names] == [text.index("y") - 2]


def dump(node: ast.AST) -> str:
    """The tree with all positions; before Python 3.13, `ast` has others inside f-strings."""
    if sys.version_info < (3, 13):
        for string in ast.walk(node):
            if isinstance(string, ast.JoinedStr):
                for inner in ast.walk(string):
                    if inner is not string and hasattr(inner, "lineno"):
                        for position in POSITIONS:
                            setattr(inner, position, 0)
    return ast.dump(node, include_attributes=True)
