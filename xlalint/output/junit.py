"""Diagnostics as failed tests in the XML of JUnit, which most CI servers show; one suite for each file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from xml.etree import ElementTree

from xlalint.diagnostic import Diagnostic
from xlalint.output.explained import explained
from xlalint.output.paint import show_control
from xlalint.sources.file import SourceFile

_NAME = "xlalint"


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> str:
    """A document in pure ASCII. Where nothing is wrong, it holds one test that has passed."""
    count = len(diagnostics)
    root = ElementTree.Element("testsuites", name=_NAME, tests=str(count or 1), failures=str(count))
    for path, found in groupby(diagnostics, key=lambda diagnostic: diagnostic.path):
        _add_suite(root, path, [*found])
    if not count:
        suite = ElementTree.SubElement(root, "testsuite", name=_NAME, tests="1", failures="0", errors="0")
        ElementTree.SubElement(suite, "testcase", name="no diagnostics", classname=_NAME)
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True)
    return data.decode("ascii") + "\n"


def _add_suite(root: ElementTree.Element, path: str, found: Sequence[Diagnostic]) -> None:
    count = str(len(found))
    suite = ElementTree.SubElement(root, "testsuite", name=path, tests=count, failures=count, errors="0")
    for diagnostic in found:
        start = diagnostic.range.start
        case = ElementTree.SubElement(
            suite, "testcase",
            name=f"{diagnostic.code} {diagnostic.name} at {start.line}:{start.column}",
            classname=path, file=path, line=str(start.line),
        )  # fmt: skip
        failure = ElementTree.SubElement(
            case, "failure", type=str(diagnostic.severity), message=show_control(diagnostic.message)
        )
        failure.text = f"{path}:{start.line}:{start.column}: {explained(diagnostic)}"
