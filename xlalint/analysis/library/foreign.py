"""Values of NumPy and of classes, which PyTorch loads from no file unless it is told that it may."""

from __future__ import annotations

from typing import Final

from xlalint.analysis.payloads import Chance, Container, Instance, Namespace, OfNumpy, drawn_of, elements
from xlalint.knowledge import packages
from xlalint.lazy.assumptions import assume
from xlalint.lazy.values import HOST, Kind, Value
from xlalint.program.outline import Class

_GIVES_NUMPY: Final = assume("this function of NumPy returns a value of NumPy's")


def of_numpy(value: Value) -> Value:
    """The same host value, known to be one of NumPy's."""
    return value._replace(payload=OfNumpy()) if value.kind is Kind.HOST and value.payload is None else value


def made_by(function: str, *given: Value) -> Value:
    """What a function of the host's, by its qualified name, makes of values."""
    result = Value(Kind.HOST, differs=any(map(_differs, given)))
    if function in packages.DRAWN_BY_HOST:
        below_one = function in packages.BELOW_ONE and not given
        return result._replace(payload=Chance(function in packages.WHOLE, below_one))
    module, _, last = function.rpartition(".")
    if module.partition(".")[0] != packages.NUMPY or {module, last} & packages.PLAIN_OF_NUMPY:
        return result
    if (
        last in packages.OF_EACH_NUMBER
        and (drawn := drawn_of(*given, *(part for value in given for part in elements(value)))) is not None
    ):
        return result._replace(payload=drawn)
    if any(value.kind is Kind.UNKNOWN for value in given):
        return of_numpy(result)._replace(assumes=_GIVES_NUMPY)
    return of_numpy(result)


def _differs(value: Value) -> bool:
    """Whether a value is another one on each replica, or a list of such."""
    match value.payload:
        case Container(items, element):
            return any(part.surely_differs for part in (element, *(items or ())))
    return value.differs


def result_of(function: Value | None) -> Value:
    """What a callable makes of numbers of the host."""
    known = function.payload if function is not None else None
    return made_by(known.name) if isinstance(known, Namespace) else HOST


def is_of_numpy(receiver: Value, name: str) -> bool:
    """Whether a method of a host value gives a value of NumPy's."""
    return name == packages.NUMPY or (isinstance(receiver.payload, OfNumpy) and name in packages.ARRAYS)


def refused(value: Value) -> str:
    """What in a value PyTorch refuses to load, in words; empty where nothing is known of any."""
    match value.payload:
        case OfNumpy():
            return "a NumPy value"
        case Instance(of=(Class() as cls,)):
            return f"an object of `{cls.name}`"
        case Container(items, element):
            return next(filter(None, map(refused, (element, *(items or ())))), "")
    return ""
