"""Notebooks: what of them is checked, how places are named, and that fixes change nothing else."""

from __future__ import annotations

import ast
import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from xlalint.cli import command
from xlalint.diagnostic import Position
from xlalint.sources.magics import masked
from xlalint.sources.notebook import Notebook, NotebookError

HEAD = "!pip install torch_xla\nimport torch\nimport torch_xla\nimport torch_xla.core.xla_model as xm"
MODEL = "%%time\ndevice = xm.xla_device()\nmodel = torch.nn.Linear(8, 1).to(device)\nfiles = !ls *.py"
STEP = """\
with torch_xla.step():
    loss = model(torch.randn(4, 8).to(device)).mean()
    print("😀", loss.item())
%matplotlib inline
"""
SHELL = "%%bash\npython train.py && echo 'a' | tee log"
IMAGE = base64.b64encode(random.Random(1).randbytes(500)).decode()


def code(source: str, *, as_list: bool = True) -> dict[str, Any]:
    output = {"output_type": "display_data", "data": {"image/png": IMAGE}, "metadata": {}}
    return {
        "cell_type": "code", "execution_count": 1, "metadata": {"trusted": True}, "outputs": [output],
        "source": source.splitlines(keepends=True) if as_list else source,
    }  # fmt: skip


def notebook(*sources: str, as_list: bool = True, **metadata: Any) -> dict[str, Any]:
    """A notebook with a cell of text above and the cells of code that are given."""
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# import torch_xla\n", "x = 1"]}
    return {
        "cells": [text, *(code(source, as_list=as_list) for source in sources)],
        "metadata": {"kernelspec": {"name": "python3", "language": "python"}, **metadata},
        "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip


LAYOUTS: dict[str, dict[str, Any]] = {
    "jupyter": {"indent": 1, "ensure_ascii": False},
    "colab": {"indent": 2, "ensure_ascii": False},
    "four": {"indent": 4, "ensure_ascii": True},
    "tabs": {"indent": "\t", "ensure_ascii": False},
    "one line": {"separators": (",", ":")},
    "kaggle": {"as_list": False},
    "windows": {"indent": 1, "crlf": True},
    "mark": {"indent": 1, "bom": True},
}


def written(book: dict[str, Any], *, crlf: bool = False, bom: bool = False, **layout: Any) -> bytes:
    layout.pop("as_list", None)
    text = json.dumps(book, **layout) + "\n"
    data = (text.replace("\n", "\r\n") if crlf else text).encode()
    return b"\xef\xbb\xbf" + data if bom else data


def sources_of(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data.decode("utf-8-sig"))["cells"]]


# Magics ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%matplotlib inline", "0#atplotlib inline"),
        ("if x:\n    !ls -l", "if x:\n    0#s -l"),
        ("files = !ls", "files = 0#s"),
        ("a, b = %sql select", "a, b = 0#ql select"),
        ("model?", "0#del?"),
        ("?", "0"),
        ("x = f(\n  3)??\n", "x = f(\n  3)??\n"),
        ("!a \\\n   b \\\n   c\nd", "0# \\\n   # \\\n   #\nd"),
        ("pip install torch_xla", "0#p install torch_xla"),
        ("cd project/", "0# project/"),
        ("cd = project\n!ls", "cd = project\n0#s"),
        ("%%time\nx = 1", "0#time\nx = 1"),
        ("\n%%capture out\nx = 1", "\n0#capture out\nx = 1"),
        ("%%bash\nls\n\n  x", "#%bash\n#s\n\n  #"),
        ("%%writefile a.py\nimport torch_xla", "#%writefile a.py\n#mport torch_xla"),
        ("x = 5 % 3\n", "x = 5 % 3\n"),
        ("t = '''\n%time\n!x\n'''\n%time x", "t = '''\n%time\n!x\n'''\n0#ime x"),
        ("y = (1\n  % 2)\n!ls", "y = (1\n  % 2)\n0#s"),
        ("y = 1 \\\n  % 2\n!ls", "y = 1 \\\n  % 2\n0#s"),
        ("# a ' quote (\n!ls", "# a ' quote (\n0#s"),
        ("print('(', \"'''\")\n!ls", "print('(', \"'''\")\n0#s"),
        ("await f()\n%time x", "await f()\n0#ime x"),
    ],
)
def test_what_is_not_python_gives_way_to_as_many_characters(cell: str, expected: str) -> None:
    shown = "\n".join(masked(cell.split("\n")))
    assert [*map(len, shown.split("\n"))] == [*map(len, cell.split("\n"))]
    assert shown == expected


# The program and the file ------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_a_place_in_the_program_is_a_place_in_the_file(layout: dict[str, Any]) -> None:
    book = notebook(HEAD, MODEL, "", STEP, "\t'\\\"'; ü = '😀'", as_list=layout.get("as_list", True))
    data = written(book, **layout)
    read = Notebook(data)
    ast.parse(read.program)
    assert read.changed(read.program) == data
    lines = data.decode("utf-8-sig").split("\n")
    for word, cell, line in (("import", 1, 2), ("loss", 4, 2), ("item", 4, 3)):
        number = read.in_program(cell, line)
        assert read.cell_at(number) == (cell, line)
        column = read.program.split("\n")[number - 1].index(word) + 1
        place = read.in_file(Position(number, column))
        assert lines[place.line - 1][place.column - 1 :].startswith(word)


def changed_at_random(lines: list[str], chance: random.Random) -> list[str]:
    """Lines of which some are gone, others different, and some new."""
    after: list[str] = []
    for line in lines:
        kind = chance.choice(("same", "same", "gone", "other", "new"))
        if kind != "gone":
            after.append(f'{line}  # ü "\\ 😀' if kind == "other" else line)
        if kind == "new":
            after.append(chance.choice(("new = 1", "", "\tx = '\\n'")))
    return after


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_a_changed_program_changes_nothing_but_the_text_of_its_cells(layout: dict[str, Any]) -> None:
    as_list = layout.get("as_list", True)
    for seed in range(60):
        chance = random.Random(seed)
        texts = ["a = 1\nb = '\\\\'\nc = 3\n", "x = 1", "y = [\n  1,\n]\nz = 2", "é = '😀'\n\n\nw = 1\n"]
        chance.shuffle(texts)
        data = written(notebook(*texts, as_list=as_list), **layout)
        read = Notebook(data)
        expected = []
        program = []
        for number, text in enumerate(texts, 1):
            after = text.removesuffix("\n").split("\n")
            if chance.random() < 0.6:
                after = changed_at_random(after, chance) or ["pass"]
            program += [f"# %% [{number}]", *after]
            expected.append("\n".join(after) + "\n" * text.endswith("\n"))
        result = read.changed("\n".join(program) + "\n")
        assert sources_of(result)[1:] == expected, seed
        assert _without_sources(result) == _without_sources(data), seed
        if as_list and "indent" in layout:
            rows = [cell["source"] for cell in json.loads(result.decode("utf-8-sig"))["cells"]]
            assert all(row == "".join(row).splitlines(keepends=True) for row in rows), (
                "a string for each line"
            )


def _without_sources(data: bytes) -> bytes:
    """The file without what stands between the brackets or quotes of the sources of its cells."""
    text = data.decode("utf-8-sig")
    decoder = json.JSONDecoder()
    parts, position = [], 0
    while (found := text.find('"source":', position)) >= 0:
        start = found + len('"source":')
        start += len(text[start:]) - len(text[start:].lstrip())
        parts.append(text[position:start])
        _, position = decoder.raw_decode(text, start)
    return "".join((*parts, text[position:])).encode()


@pytest.mark.parametrize("name", ["jupyter", "four", "one line", "windows"])
def test_a_cell_of_which_nothing_is_left_is_written_as_an_empty_one(name: str) -> None:
    layout = LAYOUTS[name]
    read = Notebook(written(notebook("import torch_xla", "x = 1\n"), **layout))
    expected = written(notebook("", "x = 1\n"), **layout)
    assert read.changed("# %% [1]\n# %% [2]\nx = 1\n") == expected


def test_lines_that_are_not_python_stay_and_cannot_be_changed() -> None:
    read = Notebook(written(notebook(HEAD, STEP), indent=1))
    after = Notebook(read.changed(read.program.replace("import torch\n", "import torch as t\n")))
    assert after.cells[0].text == HEAD.replace("import torch\n", "import torch as t\n")
    assert after.cells[1].text == STEP
    for gone in ("0#ip install torch_xla\n", "# %% [2]\n"):
        with pytest.raises(NotebookError):
            read.changed(read.program.replace(gone, ""))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "it is not valid JSON"),
        (b"[]", "it does not say its format"),
        (b'{"cells": []}', "it does not say its format"),
        (b'{"nbformat": 3, "worksheets": []}', "a notebook of format 3, and xlalint reads format 4"),
        (b'{"nbformat": 5, "cells": []}', "a notebook of format 5"),
        (b'{"nbformat": 4}', "it has no list of cells"),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": [1]}]}', "something that is no text"),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": {}}]}', "something that is no text"),
        (b"\xff", "it is not valid UTF-8"),
        (b"[" * 100_000, "it is not valid JSON"),
    ],
)
def test_what_is_no_notebook_is_told_from_one(data: bytes, reason: str) -> None:
    with pytest.raises(NotebookError, match=reason):
        Notebook(data)


def test_notebooks_of_other_languages_and_without_code_are_empty() -> None:
    assert Notebook(written(notebook("x <- 1", language_info={"name": "R"}))).program == ""
    assert Notebook(written(notebook())).program == ""
    odd = b'{"nbformat": 4, "cells": [1, {"cell_type": "code"}, {"source": 3}], "metadata": 1}'
    assert Notebook(odd).program == ""


# Checks ------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "train.ipynb").write_bytes(written(notebook(HEAD, MODEL, SHELL, STEP), indent=1))
    return tmp_path


def run(*arguments: str, code: int = 1) -> Result:
    result = CliRunner().invoke(command, ["check", *arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def test_a_diagnostic_names_the_cell_and_the_line_in_it(folder: Path) -> None:
    shown = run(".").stdout
    assert "--> train.ipynb:cell 4:3:16\n" in shown
    assert "the step that opens on line 1\n" in shown
    assert '3 |     print("😀", loss.item())\n' in shown
    assert "4 | %matplotlib inline\n" in shown, "as the user wrote it"
    assert "Found 1 warning and 1 info in 1 file: 1 file checked" in shown
    rows = json.loads(run("--output-format", "json").stdout)
    assert [(row["path"], row["cell"], row["range"]["start"]["line"]) for row in rows] == [
        ("train.ipynb", 2, 2),
        ("train.ipynb", 4, 3),
    ]


def test_a_place_in_another_cell_is_named_with_it(folder: Path) -> None:
    step = (
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "model(torch.randn(4, 8).to(device)).mean().backward()\noptimizer.step()"
    )
    book = notebook(HEAD, MODEL, step, "x = 1\nxm.save(model.state_dict(), 'model.pt')")
    (folder / "train.ipynb").write_bytes(written(book))
    found = run("--output-format", "concise", "--select", "XLA602").stdout
    assert "cell 4:2:" in found
    assert "of cell 3" in found


def test_servers_are_shown_the_line_of_the_file(folder: Path) -> None:
    lines = (folder / "train.ipynb").read_text(encoding="utf-8").split("\n")
    for row in json.loads(run("--output-format", "gitlab").stdout):
        begin, end = (row["location"]["positions"][side] for side in ("begin", "end"))
        word = lines[begin["line"] - 1][begin["column"] - 1 : end["column"] - 1]
        assert word in ("xm.xla_device", "loss.item()")
        assert "cell " in row["description"]


def test_a_fix_changes_only_its_lines(folder: Path) -> None:
    before = (folder / "train.ipynb").read_bytes().split(b"\n")
    run("--fix", "--unsafe-fixes", ".", code=0)
    data = (folder / "train.ipynb").read_bytes()
    after = data.split(b"\n")
    assert [line for line in before if line not in after] == [
        b'    "import torch_xla\\n",',
        b'    "import torch_xla.core.xla_model as xm"',
        b'    "device = xm.xla_device()\\n",',
        b'    "    print(\\"\\ud83d\\ude00\\", loss.item())\\n",',
    ]
    assert sources_of(data)[1:] == [
        HEAD.rpartition("\n")[0],
        MODEL.replace("xm.xla_device", "torch_xla.device"),
        SHELL,
        STEP.replace("    print", "print"),
    ]
    run(".", code=0)


def test_a_read_stays_in_its_cell_though_the_cut_is_in_a_later_one(folder: Path) -> None:
    batch = "model(torch.ones(4, 8).to(device))"
    book = notebook(HEAD, MODEL, f"total = {batch}\nprint(total)", f"again = {batch}", "torch_xla.sync()")
    (folder / "train.ipynb").write_bytes(written(book))
    run("--fix", "--unsafe-fixes", "--select", "XLA102", ".", code=0)
    cells = sources_of((folder / "train.ipynb").read_bytes())
    assert cells[2:] == [
        MODEL,
        f"total = {batch}\ntorch_xla.sync()\nprint(total)",
        f"again = {batch}",
        "torch_xla.sync()",
    ]


def test_what_is_not_fixed_and_what_is_left_by_hand_name_their_cell(folder: Path) -> None:
    loop = (
        "total = model(torch.ones(4, 8).to(device))\n"
        "while total.sum().item() < 9:\n    total = total + 1\ntorch_xla.sync()"
    )
    (folder / "train.ipynb").write_bytes(written(notebook(HEAD, MODEL, loop)))
    place = "  train.ipynb:cell 3:2:7: XLA102"
    reason = "the test on line 2 of cell 3 is made anew in each iteration"
    shown = run("--fix", "--unsafe-fixes", "--show-fixes", ".").output
    assert f"{place}: Sync before the read: {reason}\n" in shown
    migrated = CliRunner().invoke(command, ["migrate", "."]).output
    assert f"{place} host-read-before-sync: " in migrated.partition("Left to do by hand:\n")[2]


def test_the_edits_in_a_report_are_of_the_file(folder: Path) -> None:
    (row, _) = json.loads(run("--output-format", "json").stdout)
    lines = (folder / "train.ipynb").read_text(encoding="utf-8").splitlines(keepends=True)
    for edit in reversed(row["fix"]["edits"]):
        start, end = edit["range"]["start"], edit["range"]["end"]
        first, last = start["line"] - 1, end["line"] - 1
        lines[first : last + 1] = [
            lines[first][: start["column"] - 1] + edit["text"] + lines[last][end["column"] - 1 :]
        ]
    run("--fix", ".")
    assert "".join(lines) == (folder / "train.ipynb").read_text(encoding="utf-8")


def test_comments_suppress_and_are_written(folder: Path) -> None:
    run("--add-ignore=known", ".", code=0)
    texts = sources_of((folder / "train.ipynb").read_bytes())
    assert texts[4].split("\n")[2].endswith("loss.item())  # xlalint: ignore[XLA101] known")
    assert "(2 suppressed by comments)" in run(".", code=0).stdout


def test_a_cell_that_is_no_python_is_told_and_the_others_are_checked(folder: Path) -> None:
    book = notebook(HEAD, MODEL, "this is\nno python", STEP, "  indented = 1\n  as_a_whole = 2")
    (folder / "train.ipynb").write_bytes(written(book, indent=1))
    shown = run("--output-format", "concise", ".").stdout.splitlines()
    codes = {line.split("[")[1][:6] for line in shown[:3]}
    assert codes == {"XLA000", "XLA002", "XLA101"}
    (error,) = (line for line in shown if "error[XLA000]" in line)
    assert error.startswith("train.ipynb:cell 3:1:")
    assert "this cell cannot be checked: syntax error: " in error


@pytest.mark.parametrize(("content", "code"), [("{", 0), ('{"torch_xla": ', 1), ('{"nbformat": 3}', 0)])
def test_files_that_are_no_notebooks_are_told_if_they_are_named_or_of_us(
    folder: Path, content: str, code: int
) -> None:
    (folder / "train.ipynb").write_text(content)
    run(".", code=code)
    assert "error[XLA000]" in run("train.ipynb").stdout


def test_a_notebook_imports_from_its_project(folder: Path) -> None:
    (folder / "helper.py").write_text("def log(value):\n    print(value.item())\n")
    step = STEP.replace('print("😀", loss.item())', "log(loss)")
    (folder / "train.ipynb").write_bytes(
        written(notebook(HEAD, "from helper import log", MODEL, step), indent=1)
    )
    shown = run("--select", "XLA101", ".").stdout
    assert "--> train.ipynb:cell 4:3:5\n" in shown
    assert "helper.py:2" in shown
