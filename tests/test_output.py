"""What people and programs get to read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from xlalint.diagnostic import (
    Applicability,
    Certainty,
    Diagnostic,
    Edit,
    Evidence,
    Fix,
    Observer,
    Position,
    Range,
    Related,
    Severity,
)
from xlalint.lazy.site import ENTRY, Site
from xlalint.lazy.state import (
    Engine,
    Gradient,
    Gradients,
    Obligation,
    Owed,
    Replicas,
    Scope,
    ScopeKind,
    Scopes,
    Split,
    State,
)
from xlalint.lazy.values import HEAVY, UNKNOWN, Kind, Recorded, Value, Weight
from xlalint.output import json as json_output
from xlalint.output import text
from xlalint.output.paint import Line, paint, width
from xlalint.output.state import details, overview
from xlalint.sources.file import SourceFile

PROGRAM = """\
import torch_xla

for x, y in loader:
    with torch_xla.step():
        loss = train(x, y)
        log(loss)

print("done")
"""


def source(content: str, shown: str = "train.py") -> SourceFile:
    return SourceFile(Path("/project") / shown, shown, content, is_hot=True)


def place(line: int, start: int, end: int, end_line: int | None = None) -> Range:
    return Range(Position(line, start), Position(end_line or line, end))


def diagnostic(
    where: Range,
    *,
    severity: Severity = Severity.WARNING,
    certainty: Certainty = Certainty.DEFINITE,
    related: tuple[Related, ...] = (),
    path: str = "train.py",
) -> Diagnostic:
    return Diagnostic(
        code="XLA101", name="host-read-in-step", message="`.item()` reads in the step", severity=severity,
        certainty=certainty, path=path, range=where, help="read it below", related=related, url="https://x/y",
    )  # fmt: skip


def shown(found: Diagnostic, *sources: SourceFile) -> str:
    return paint(text.full([found], {file.shown: file for file in sources}), colored=False)


# Text --------------------------------------------------------------------------------------------


def test_a_diagnostic_has_a_frame_a_chain_a_certainty_and_help() -> None:
    related = (
        Related("train.py", place(5, 16, 27), "reached through this call"),
        Related("lib/helpers.py", place(2, 5, 16), "this is where it happens"),
    )
    found = diagnostic(place(6, 9, 18), certainty=Certainty.LIKELY, related=related)
    helpers = source("def log(loss):\n    loss.item()\n", "lib/helpers.py")
    assert (
        shown(found, source(PROGRAM), helpers)
        == """\
train.py:6:9: warning[XLA101] host-read-in-step: `.item()` reads in the step
  |
4 |     with torch_xla.step():
5 |         loss = train(x, y)
6 |         log(loss)
  |         ^^^^^^^^^
7 |
8 | print("done")
  |
  = reached through:
      train.py:5        loss = train(x, y)
      lib/helpers.py:2  loss.item()
  = certainty: likely: one fact that this rests on is not sure
  = help: read it below

"""
    )


def test_blank_lines_at_the_edges_are_left_out_and_numbers_line_up() -> None:
    content = "\n" * 8 + "first()\nsecond()\n\n\n"
    assert (
        shown(diagnostic(place(10, 1, 9)), source(content))
        == """\
train.py:10:1: warning[XLA101] host-read-in-step: `.item()` reads in the step
   |
 9 | first()
10 | second()
   | ^^^^^^^^
   |
   = help: read it below

"""
    )


def frame(content: str, where: Range) -> list[str]:
    """The lines of a frame between its first and its last `|`, without numbers."""
    lines = shown(diagnostic(where), source(content)).splitlines()
    edges = [index for index, line in enumerate(lines) if line.strip() == "|"]
    return [line.split("| ", 1)[1] for line in lines[edges[0] + 1 : edges[-1]] if "| " in line]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("loss.item()", id="ASCII"),
        pytest.param("\tif x:\tloss.item()", id="tabs"),
        pytest.param("日本 = '語'; loss.item()", id="wide characters"),
        pytest.param("s = '😀'; loss.item()", id="astral characters"),
        pytest.param("s = 'e\u0301'; loss.item()", id="combining characters"),
        pytest.param("s = '\x1b[31m\x00'; loss.item()", id="control characters"),
        pytest.param("s = '\u202e'; loss.item()", id="characters that reorder"),
        pytest.param("x = 1; " * 100 + "loss.item()" + "; y = 2" * 100, id="a very long line"),
        pytest.param("日 = 1; " * 100 + "loss.item()", id="a very long line of wide characters"),
    ],
)
def test_carets_stand_below_what_they_mark(line: str) -> None:
    start = line.index("loss")
    code, carets = frame(line, place(1, start + 1, start + 12))
    assert width(code) <= 170
    assert carets.strip() == "^" * 11
    before = code[: code.index("loss.item()")]
    assert width(before) == len(carets) - 11
    assert not set(code) & set("\t\x1b\x00\u202e")


def test_a_range_of_several_lines_is_marked_without_its_indentation() -> None:
    content = "    log(\n        loss,\n    )\n"
    assert frame(content, place(1, 5, 6, 3)) == [
        "    log(", "    ^^^^",
        "        loss,", "        ^^^^^",
        "    )", "    ^",
    ]  # fmt: skip


def test_a_long_range_is_shortened() -> None:
    content = "log(\n" + "    a,\n" * 30 + ")\n"
    rendered = shown(diagnostic(place(1, 1, 2, 32)), source(content))
    assert ".. |" in rendered
    assert "32 | )" in rendered
    assert rendered.count("a,") == 3


def test_an_empty_range_is_one_caret() -> None:
    assert frame("def f(:\n", place(1, 7, 7)) == ["def f(:", "      ^"]


def test_a_file_without_text_has_no_frame() -> None:
    assert shown(diagnostic(place(3, 1, 1))) == (
        "train.py:3:1: warning[XLA101] host-read-in-step: `.item()` reads in the step\n"
        "  = help: read it below\n\n"
    )


def test_concise_is_one_line_each() -> None:
    found = [diagnostic(place(5, 7, 18)), diagnostic(place(6, 1, 2), certainty=Certainty.LIKELY)]
    assert paint(text.concise(found), colored=False) == (
        "train.py:5:7: warning[XLA101] host-read-in-step: `.item()` reads in the step\n"
        "train.py:6:1: warning[XLA101] host-read-in-step: `.item()` reads in the step (likely)\n"
    )


@pytest.mark.parametrize(
    ("severities", "suppressed", "line"),
    [
        ([], 0, "No diagnostics: 3 files checked, 2 of them using torch_xla."),
        ([], 2, "No diagnostics (2 silenced by comments): 3 files checked, 2 of them using torch_xla."),
        (["ERROR"], 0, "Found 1 error in 1 file: 3 files checked, 2 of them using torch_xla."),
        (
            ["INFO", "WARNING", "ERROR", "INFO", "ERROR"], 1,
            "Found 2 errors, 1 warning and 2 info in 1 file (1 silenced by comments): "
            "3 files checked, 2 of them using torch_xla.",
        ),
    ],
)  # fmt: skip
def test_the_summary_counts(severities: list[str], suppressed: int, line: str) -> None:
    found = [diagnostic(place(1, 1, 1), severity=Severity[name]) for name in severities]
    assert paint(text.summary(found, 3, 2, suppressed), colored=False) == line + "\n"


def test_statistics_count_rules() -> None:
    found = [diagnostic(place(line, 1, 1)) for line in range(11)]
    assert paint(text.statistics(found), colored=False) == "11  XLA101  host-read-in-step\n"


def test_colours_change_nothing_but_colours() -> None:
    lines = [*text.full([diagnostic(place(6, 9, 18))], {"train.py": source(PROGRAM)})]
    colored = paint(lines, colored=True)
    assert "\x1b[1;33mwarning[XLA101]\x1b[0m" in colored
    assert "\x1b]8" not in colored
    assert without_colors(colored) == paint(lines, colored=False)


def test_links_are_written_on_request() -> None:
    lines = [*text.concise([diagnostic(place(6, 9, 18))])]
    assert "https://x/y" in paint(lines, colored=True, linked=True)


def without_colors(painted: str) -> str:
    import re

    return "".join(line.rstrip() + "\n" for line in re.sub(r"\x1b\[[\d;]*m", "", painted).splitlines())


# JSON --------------------------------------------------------------------------------------------


def test_json_is_the_contract() -> None:
    """Whoever must change this breaks the programs of our users."""
    found = Diagnostic(
        code="XLA101",
        name="host-read-in-step",
        message="reads `é`",
        severity=Severity.WARNING,
        certainty=Certainty.LIKELY,
        path="sub/train.py",
        range=place(6, 9, 18),
        help="not part of it",
        cell=3,
        fixes=(
            Fix(
                "move it",
                Applicability.UNSAFE,
                (Edit(place(6, 9, 18), ""), Edit(place(1, 1, 1), "x\n", path="sub/other.py")),
            ),
            Fix("take it out", Applicability.SHOWN, ()),
        ),
        related=(Related("sub/other.py", place(2, 5, 16), "it happens here", cell=1),),
        url="https://x/y",
        observed_by=(Observer.ANALYZER, Observer.GUARD),
        evidence=Evidence(10, per_step=1.0, ms_median=2.5, launches=20, compiles=None, replicas=1),
    )
    best = {
        "title": "move it",
        "applicability": "unsafe",
        "edits": [
            {
                "range": {"start": {"line": 6, "column": 9}, "end": {"line": 6, "column": 18}},
                "text": "",
            },
            {
                "path": "sub/other.py",
                "range": {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 1}},
                "text": "x\n",
            },
        ],
    }
    assert json.loads(json_output.render([found])) == [
        {
            "code": "XLA101",
            "name": "host-read-in-step",
            "message": "reads `é`",
            "severity": "warning",
            "certainty": "likely",
            "path": "sub/train.py",
            "range": {"start": {"line": 6, "column": 9}, "end": {"line": 6, "column": 18}},
            "cell": 3,
            "help": "not part of it",
            "fix": best,
            "fixes": [best, {"title": "take it out", "applicability": "shown", "edits": []}],
            "related": [
                {
                    "path": "sub/other.py",
                    "range": {"start": {"line": 2, "column": 5}, "end": {"line": 2, "column": 16}},
                    "cell": 1,
                    "message": "it happens here",
                }
            ],
            "url": "https://x/y",
            "observed_by": ["analyzer", "guard"],
            "evidence": {
                "count": 10,
                "per_step": 1.0,
                "ms_median": 2.5,
                "launches": 20,
                "compiles": None,
                "replicas": 1,
            },
        }
    ]


def test_what_is_not_known_is_null() -> None:
    (found,) = json.loads(json_output.render([diagnostic(place(6, 9, 18))]))
    assert [key for key, value in found.items() if value is None] == ["cell", "fix", "evidence"]


def test_json_needs_no_encoding_of_the_terminal() -> None:
    assert json_output.render([diagnostic(place(1, 1, 1), path="日本.py")]).isascii()
    assert json.loads(json_output.render([])) == []


def test_statistics_as_json() -> None:
    assert json.loads(json_output.statistics([diagnostic(place(1, 1, 1))] * 2)) == [
        {"code": "XLA101", "name": "host-read-in-step", "count": 2}
    ]


# State -------------------------------------------------------------------------------------------


@dataclass
class Known:
    line: int
    state: State
    values: Mapping[str, Value] = field(default_factory=dict)


def state(**changes: object) -> State:
    made = State()
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def site(line: int, path: str = "train.py") -> Site:
    return Site(f"/project/{path}", line, 0, line, 4)


def table(*known: Known) -> str:
    return paint(overview(source(PROGRAM), known), colored=False)


def test_the_state_stands_beside_the_lines() -> None:
    scope = Scope(ScopeKind.STEP, site(4))
    used = frozenset({Gradient.NONE, Gradient.USED})
    assert table(
        Known(6, state(engine=Engine(HEAVY, (site(5),)), scopes=Scopes((scope,)), gradients=Gradients(used))),
        Known(1, state()),
        Known(4, state(), {"loader": Value(Kind.LOADER)}),
        Known(8, state(replicas=Replicas((Split(site(7), True),)))),
    ) == (
        "    train.py                   │ recorded             │ open scopes                  │ replicas"
        "               │ gradients\n"
        "4 │     with torch_xla.step(): │ · nothing            │                              │ all"
        "                    │ none\n"
        "⋮\n"
        "6 │         log(loss)          │ █ heavy since line 5 │ torch_xla.step() from line 4 │ all"
        "                    │ none or used\n"
        "⋮\n"
        '8 │ print("done")              │ · nothing            │                              │ master only,'
        " by line 7 │ none\n"
    )


def test_lines_that_the_engine_plays_no_part_in_are_left_out() -> None:
    known = Known(1, state(), {"name": Value(Kind.CONSTANT)})
    assert table(known) == "train.py: no line of it is known to touch the lazy engine.\n"


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (
            state(engine=Engine(Recorded(Weight.NONE, Weight.HEAVY), (site(5),))),
            "█ perhaps heavy since line 5",
        ),
        (state(engine=Engine(Recorded(Weight.LIGHT, Weight.HEAVY))), "█ light, perhaps heavy"),
        (state(engine=Engine(HEAVY, (site(3), site(5)))), "since lines 3, 5"),
        (state(engine=Engine(HEAVY, (site(3, "lib.py"), ENTRY))), "lib.py:3"),
        (state(scopes=Scopes((Scope(ScopeKind.TRACE, ENTRY, 0),))), "xp.Trace of a caller"),
        (state(replicas=Replicas((Split(site(3), False),))), "all but master, by line 3"),
        (state(replicas=Replicas((Split(site(3), True, certain=False, master=False),))), "some?, by line 3"),
        (state(engine=Engine(HEAVY, eager=True)), "(eager)"),
    ],
)
def test_what_is_sure_and_where_it_comes_from_is_said(known: State, words: str) -> None:
    assert words in table(Known(6, known))


def test_everything_about_one_line() -> None:
    owed = Obligation(Owed.READ, (site(3),), detail=".item()")
    known = Known(
        6,
        state(
            engine=Engine(HEAVY, (site(5),)),
            scopes=Scopes(in_loop=True),
            replicas=Replicas(launched=True),
            obligations=frozenset({owed}),
        ),
        {
            "loss": Value(Kind.TENSOR, recorded=HEAVY, differs=True),
            "other": UNKNOWN,
        },
    )
    assert (
        paint(details(source(PROGRAM), [known], 6), colored=False)
        == """\
train.py:6          log(loss)

  recorded     █ heavy since line 5
  parameters   · nothing
  open scopes  none
  replicas     all
  gradients    none
  engine       lazy, replicas launched, wrapping not known, SPMD not known, in a loop
  pending      host read that a later cut will run again `.item()`, at line 3

  loss   device tensor, not the same on every replica, █ heavy
  other  unknown, not sure
"""
    )


def test_a_line_of_which_nothing_is_known_says_so() -> None:
    lines: list[Line] = [*details(source(PROGRAM), [], 2)]
    assert "nothing is known here" in paint(lines, colored=False)
