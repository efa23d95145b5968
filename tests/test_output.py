"""What people and programs get to read."""

from __future__ import annotations

import json
import re
from ast import Module
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from fixture_programs import FIXTURES
from xlalint.analysis.engine import Program, trace
from xlalint.analysis.wording import in_words
from xlalint.configuration import Configuration
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
    Seen,
    Severity,
)
from xlalint.lazy.assumptions import assume
from xlalint.lazy.gradients import Gradient, Gradients
from xlalint.lazy.obligations import Obligation, Owed
from xlalint.lazy.scopes import Replicas, Scope, ScopeKind, Scopes, Split
from xlalint.lazy.site import ENTRY, Site
from xlalint.lazy.state import Engine, State
from xlalint.lazy.values import HEAVY, UNKNOWN, Kind, Recorded, Value, Weight
from xlalint.output import json as json_output
from xlalint.output import text
from xlalint.output.paint import Line, Span, paint, width, wrap
from xlalint.output.state import LEGEND, details, overview
from xlalint.program.parsing import parse_file
from xlalint.sources.file import SourceFile, read

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
    code: str = "XLA101",
    message: str = "`.item()` reads in the step",
    help: str = "read it below",
    assumes: str = "",
) -> Diagnostic:
    return Diagnostic(
        code=code, name="host-read-in-step", message=message, severity=severity, certainty=certainty,
        path=path, range=where, help=help, related=related, url="https://x/y", assumes=assumes,
    )  # fmt: skip


def shown(found: Diagnostic, *sources: SourceFile, columns: int = text.COLUMNS) -> str:
    return paint(text.full([found], {file.shown: file for file in sources}, columns), colored=False)


# Text --------------------------------------------------------------------------------------------


def test_a_diagnostic_has_a_frame_a_chain_a_certainty_and_help() -> None:
    related = (
        Related("train.py", place(5, 16, 27), "reached through this call"),
        Related("lib/helpers.py", place(2, 5, 16), "this is where it happens"),
    )
    found = diagnostic(
        place(6, 9, 18), certainty=Certainty.LIKELY, related=related, assumes="`loss` is a tensor"
    )
    helpers = source("def log(loss):\n    loss.item()\n", "lib/helpers.py")
    assert (
        shown(found, source(PROGRAM), helpers)
        == """\
warning[XLA101] host-read-in-step: `.item()` reads in the step
 --> train.py:6:9
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
  = likely: assumes `loss` is a tensor
  = help: read it below

"""
    )


def test_blank_lines_at_the_edges_are_left_out_and_numbers_line_up() -> None:
    content = "\n" * 8 + "first()\nsecond()\n\n\n"
    assert (
        shown(diagnostic(place(10, 1, 9)), source(content))
        == """\
warning[XLA101] host-read-in-step: `.item()` reads in the step
  --> train.py:10:1
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


LOOP = """\
def train(loader):
    for x, y in zip(  # two loaders
        loader, {"a": 1}["a"]
    ):  # in pairs

        step(x, y)
    return
"""


@pytest.mark.parametrize(
    ("where", "carets"),
    [
        pytest.param(place(1, 1, 11, 7), [18], id="a function"),
        pytest.param(place(2, 5, 19, 6), [len("for x, y in zip(  # two loaders"), 21, 2], id="a long header"),
        pytest.param(place(2, 17, 6, 4), [len("zip(  # two loaders"), 21, 1], id="an expression"),
        pytest.param(place(6, 9, 19), [10], id="a line of the body"),
    ],
)
def test_of_a_whole_function_or_loop_only_the_header_is_marked(where: Range, carets: list[int]) -> None:
    assert marked(LOOP, where) == carets


@pytest.mark.parametrize(
    ("header", "carets"),
    [
        ("class A:", 8),
        ("async def f():", 14),
        ("with a as b:  # why", 12),
        ("while x[{1: 2}[1]:]:", 20),
    ],
)
def test_a_header_ends_at_its_own_colon(header: str, carets: int) -> None:
    assert marked(f"{header}\n    pass\n", place(1, 1, 9, 2)) == [carets]


def test_a_header_that_this_python_cannot_read_is_no_obstacle() -> None:
    quotes = '"' * 3
    assert marked(f"for x in {quotes}:\n    pass\n", place(1, 1, 9, 2)) == [13, 4]


def marked(content: str, where: Range) -> list[int]:
    """How many carets stand below each marked line."""
    return [len(line.strip()) for line in frame(content, where) if set(line.strip()) == {"^"}]


def test_an_empty_range_is_one_caret() -> None:
    assert frame("def f(:\n", place(1, 7, 7)) == ["def f(:", "      ^"]


def test_a_file_without_text_has_no_frame() -> None:
    assert shown(diagnostic(place(3, 1, 1))) == (
        "warning[XLA101] host-read-in-step: `.item()` reads in the step\n"
        " --> train.py:3:1\n"
        "  = help: read it below\n\n"
    )


def test_messages_and_help_are_wrapped_at_words_and_code_is_not() -> None:
    wordy = diagnostic(
        place(1, 1, 60),
        message="the step is executed twice: by `print( loss )` and again by the loader's next batch",
        help="put the work in `with torch_xla.step():` and read the loss below this block",
        certainty=Certainty.LIKELY,
        assumes="`loader` is an `MpDeviceLoader` of torch_xla",
    )
    line = "x" * 59
    assert (
        shown(wordy, source(line), columns=48)
        == f"""\
warning[XLA101] host-read-in-step: the step is
    executed twice: by `print( loss )` and again
    by the loader's next batch
 --> train.py:1:1
  |
1 | {line}
  | {"^" * 59}
  |
  = likely: assumes `loader` is an
            `MpDeviceLoader` of torch_xla
  = help: put the work in
          `with torch_xla.step():` and read the
          loss below this block

"""
    )


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        pytest.param("", ["> "], id="nothing"),
        pytest.param("one two", ["> one two"], id="it fits exactly"),
        pytest.param("one two3", ["> one", "  two3"], id="one column too many"),
        pytest.param(
            "supercalifragilistic a b", ["> supercalifragilistic", "  a b"], id="a word that is too wide"
        ),
        pytest.param("a `b c d e` f", ["> a", "  `b c d e`", "  f"], id="code is one word"),
        pytest.param("it's `open", ["> it's", "  `open"], id="a lone backtick"),
        pytest.param("日本語 日", ["> 日本語", "  日"], id="wide characters"),
    ],
)
def test_lines_are_broken_between_words(words: str, rows: list[str]) -> None:
    lines = wrap([Span("> ", "bold")], Span(words), indent=2, columns=9)
    assert ["".join(span.text for span in line) for line in lines] == rows


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
        ([], 2, "No diagnostics (2 suppressed by comments): 3 files checked, 2 of them using torch_xla."),
        (["ERROR"], 0, "Found 1 error in 1 file: 3 files checked, 2 of them using torch_xla."),
        (
            ["INFO", "WARNING", "ERROR", "INFO", "ERROR"], 1,
            "Found 2 errors, 1 warning and 2 info in 1 file (1 suppressed by comments): "
            "3 files checked, 2 of them using torch_xla.",
        ),
    ],
)  # fmt: skip
def test_the_summary_counts(severities: list[str], suppressed: int, line: str) -> None:
    found = [diagnostic(place(1, 1, 1), severity=Severity[name]) for name in severities]
    assert paint(text.summary(found, 3, 2, suppressed, {}), colored=False).splitlines()[0] == line


def test_the_summary_says_once_how_to_read_about_the_worst() -> None:
    found = [
        diagnostic(place(1, 1, 1), code="XLA002", severity=Severity.INFO),
        diagnostic(place(2, 1, 1), code="XLA501", severity=Severity.ERROR),
        diagnostic(place(3, 1, 1), code="XLA301", severity=Severity.ERROR),
    ]
    lines = paint(text.summary(found, 3, 2, 0, {}), colored=False).splitlines()
    assert lines[1:] == ["Run `xlalint rule XLA501` to see what a rule means and how to fix it."]
    assert len(paint(text.summary([], 3, 2, 0, {}), colored=False).splitlines()) == 1


def test_the_summary_says_where_the_analysis_was_cut_short() -> None:
    bounds = {"b.py": 1, "a.py": 2, "c.py": 1, "d.py": 1}
    (_, line) = paint(text.summary([], 9, 5, 0, bounds), colored=False).splitlines()
    assert line == (
        "The analysis stopped at a limit at 5 places in a.py, b.py, c.py and 1 more: "
        "add `--extend-select XLA092` to see them."
    )


def test_statistics_count_rules() -> None:
    found = [diagnostic(place(line, 1, 1)) for line in range(11)]
    assert paint(text.statistics(found), colored=False) == "11  XLA101  host-read-in-step\n"


def test_statistics_count_files_and_the_rules_in_each() -> None:
    found = [diagnostic(place(line, 1, 1), path="b.py") for line in range(11)]
    found.append(diagnostic(place(1, 1, 1), path="a.py"))
    assert paint(text.statistics_of_files(found), colored=False).splitlines() == [
        "11  b.py",
        "    11  XLA101  host-read-in-step",
        " 1  a.py",
        "    1  XLA101  host-read-in-step",
    ]


def test_colours_change_nothing_but_colours() -> None:
    lines = [*text.full([diagnostic(place(6, 9, 18))], {"train.py": source(PROGRAM)})]
    colored = paint(lines, colored=True)
    assert "\x1b[1;33mwarning[XLA101]\x1b[0m" in colored
    assert "\x1b]8" not in colored
    assert without_colors(colored) == paint(lines, colored=False)


@pytest.mark.parametrize("form", [text.concise, lambda found: text.full(found, {})], ids=["concise", "full"])
def test_the_code_is_linked_to_its_page_on_request(
    form: Callable[[list[Diagnostic]], Iterator[Line]],
) -> None:
    painted = paint(form([diagnostic(place(6, 9, 18))]), colored=True, linked=True)
    assert re.search(r"https://x/y\x1b\\(\x1b\[[\d;]*m)?warning\[XLA101\]", painted)


def without_colors(painted: str) -> str:
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
                changes="the moment of the read",
            ),
            Fix("take it out", Applicability.SHOWN, ()),
        ),
        related=(Related("sub/other.py", place(2, 5, 16), "it happens here", cell=1),),
        url="https://x/y",
        observed_by=(Observer.ANALYZER, Observer.GUARD),
        assumes="`loss` is a tensor",
        evidence=Evidence(10, per_step=1.0, ms_median=2.5, launches=20, compiles=None, replicas=1),
        seen=Seen.CONFIRMED,
    )
    best = {
        "title": "move it",
        "applicability": "unsafe",
        "changes": "the moment of the read",
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
    assert json.loads(json_output.render([found], {})) == [
        {
            "code": "XLA101",
            "name": "host-read-in-step",
            "message": "reads `é`",
            "severity": "warning",
            "certainty": "likely",
            "assumes": "`loss` is a tensor",
            "path": "sub/train.py",
            "range": {"start": {"line": 6, "column": 9}, "end": {"line": 6, "column": 18}},
            "cell": 3,
            "help": "not part of it",
            "fix": best,
            "fixes": [
                best,
                {"title": "take it out", "applicability": "shown", "changes": None, "edits": []},
            ],
            "related": [
                {
                    "path": "sub/other.py",
                    "range": {"start": {"line": 2, "column": 5}, "end": {"line": 2, "column": 16}},
                    "cell": 1,
                    "message": "it happens here",
                    "later": False,
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
            "seen": "confirmed",
        }
    ]


def test_what_is_not_known_is_null() -> None:
    (found,) = json.loads(json_output.render([diagnostic(place(6, 9, 18))], {}))
    assert [key for key, value in found.items() if value is None] == [
        "assumes",
        "cell",
        "fix",
        "evidence",
        "seen",
    ]


def test_json_needs_no_encoding_of_the_terminal() -> None:
    assert json_output.render([diagnostic(place(1, 1, 1), path="日本.py")], {}).isascii()
    assert json.loads(json_output.render([], {})) == []


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

    def words(self, name: str) -> Iterator[str]:
        return in_words(self.values[name])


def state(**changes: object) -> State:
    made = State()
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def site(line: int, path: str = "train.py") -> Site:
    return Site(f"/project/{path}", line, 0, line, 4)


def table(*known: Known) -> str:
    return paint(overview(source(PROGRAM), known), colored=False)


def test_the_state_stands_above_the_lines_where_it_changes() -> None:
    scope = Scope(ScopeKind.STEP, site(4))
    used = frozenset({Gradient.NONE, Gradient.USED})
    assert (
        table(
            Known(
                6, state(engine=Engine(HEAVY, (site(5),)), scopes=Scopes((scope,)), gradients=Gradients(used))
            ),
            Known(1, state()),
            Known(3, state(), {"loader": Value(Kind.LOADER)}),
            Known(4, state(), {"loader": Value(Kind.LOADER)}),
            Known(8, state(replicas=Replicas((Split(site(7), True),)))),
        )
        == """\
train.py, before each line runs:

  ┌ · recorded: nothing
3 │ for x, y in loader:
4 │     with torch_xla.step():
⋮
  ┌ █ recorded: heavy since line 5; open scopes: torch_xla.step() from line 4;
      gradients: none or used
6 │         log(loss)
⋮
  ┌ · recorded: nothing; replicas: master only (test on line 7)
8 │ print("done")

What these words mean:
  recorded     operations that torch_xla has noted and not yet run
  heavy        a forward, a backward or an optimizer step: expensive
  open scopes  the step, compiled function or profiler block around it
  replica      one process of the training run; each drives one device
  master       the replica that writes checkpoints and logs
  gradients    how far the gradients of the current step have come
  used         already applied by an optimizer step
"""
    )


def test_a_line_reached_in_several_states_shows_each_once() -> None:
    light = state(engine=Engine(Recorded(Weight.LIGHT, Weight.LIGHT)))
    heavy = state(engine=Engine(HEAVY))
    shown = table(Known(6, light), Known(6, heavy), Known(6, light)).splitlines()
    assert shown[2:5] == ["  ┌ ▒ recorded: light", "  ┌ █ recorded: heavy", "6 │         log(loss)"]


def test_lines_that_the_engine_plays_no_part_in_are_left_out() -> None:
    known = Known(1, state(), {"name": Value(Kind.CONSTANT)})
    assert table(known) == "train.py: no line of this file is known to touch torch_xla.\n"


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (
            state(engine=Engine(Recorded(Weight.NONE, Weight.HEAVY), (site(5),))),
            "█ recorded: perhaps heavy since line 5",
        ),
        (state(engine=Engine(Recorded(Weight.LIGHT, Weight.HEAVY))), "█ recorded: light, perhaps heavy"),
        (state(engine=Engine(HEAVY, (site(3), site(5)))), "since lines 3, 5"),
        (state(engine=Engine(HEAVY, (site(3, "lib.py"), ENTRY))), "lib.py:3"),
        (state(scopes=Scopes((Scope(ScopeKind.TRACE, ENTRY, 0),))), "xp.Trace of a caller"),
        (state(replicas=Replicas((Split(site(3), False),))), "all but master (test on line 3)"),
        (
            state(
                replicas=Replicas((Split(site(3), True, assume("the test tells them apart"), master=False),))
            ),
            "perhaps some (test on line 3)",
        ),
        (state(replicas=Replicas((Split(ENTRY, True, depth=0),))), "master only (tested by a caller)"),
        (state(engine=Engine(HEAVY, eager=True)), "engine: eager"),
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
            "score": Value(Kind.TENSOR, assume("this is a tensor")),
            "other": UNKNOWN,
        },
    )
    assert (
        paint(details(source(PROGRAM), [known], 6), colored=False)
        == """\
train.py:6, before this line runs:
  log(loss)

  recorded     █ heavy since line 5
  parameters   · nothing
  open scopes  none
  replicas     all
  gradients    none
  engine       lazy, several replicas, model not wrapped, in a loop; unknown:
               SPMD
  pending      host read; the next cut runs the step again `.item()`, at line 3

  loss   device tensor, differs between replicas, █ heavy recorded
  other  unknown
  score  device tensor, unconfirmed

What these words mean:
  recorded       operations that torch_xla has noted and not yet run
  heavy          a forward, a backward or an optimizer step: expensive
  parameters     recorded work that changes parameters of a model
  open scopes    the step, compiled function or profiler block around it
  replica        one process of the training run; each drives one device
  gradients      how far the gradients of the current step have come
  engine         how torch_xla runs this line
  lazy           operations are recorded now and run later
  wrapped        in DDP or FSDP, which sum gradients during backward
  SPMD           one program drives all devices and shards its tensors
  pending        what a later line may turn into a diagnostic
  host read      Python needs a value that is on the device
  cut            sends everything recorded to the device as one graph
  device tensor  a tensor on the XLA device
  unconfirmed    the result of a call that xlalint cannot follow
  unknown        xlalint cannot tell
"""
    )


def test_a_line_of_which_nothing_is_known_says_so() -> None:
    shown = paint(details(source(PROGRAM), [], 2), colored=False)
    assert "Nothing is known here" in shown
    assert "What these words mean" not in shown


USUAL = {
    "callable", "class", "constant", "container", "device", "gradient scaler", "instance", "loader", "module",
    "namespace", "none", "optimizer", "parameters", "scope", "state dict",
}  # fmt: skip
"""Words of the model that a user of PyTorch knows."""


@pytest.mark.parametrize(
    "word",
    [
        *sorted({kind.value for kind in Kind} | {gradient.value for gradient in Gradient}),
        *(weight.name.lower() for weight in Weight if weight),
    ],
)
def test_what_a_user_of_pytorch_need_not_know_is_explained(word: str) -> None:
    assert word in USUAL or word in LEGEND


@pytest.mark.soak
def test_the_state_of_every_fixture_fits_80_columns() -> None:
    programs = sorted(FIXTURES.rglob("*.py"))
    assert programs
    for path in programs:
        file = read(path)
        assert isinstance(file, SourceFile)
        assert isinstance(parse_file(file), Module)
        states = trace(Program([file], frozenset(), Configuration()), file)
        everything = [overview(file, states), *(details(file, states, known.line) for known in states)]
        for lines in (*everything, details(file, [], 1)):
            shown = paint(lines, colored=False).splitlines()
            # The path of a file is not broken, so that it can be followed.
            assert all(width(line) <= 80 or len(line.split()) == 1 for line in shown), (path, shown)
