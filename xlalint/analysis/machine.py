"""What the parts of the interpreter ask of each other.

The parts are plain functions in tables, by kind of node, of value or of library function. Each calls
those below it directly; what would lead back up, and so close a circle of imports, goes through here.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xlalint.analysis.call import Call
from xlalint.analysis.frame import Frame
from xlalint.analysis.payloads import Bound
from xlalint.analysis.reuse.lookups import Fact, Lookups
from xlalint.analysis.reuse.trail import Numbered, Trail
from xlalint.analysis.store import AttributeKey, Store
from xlalint.lazy.assumptions import NONE, Assumptions
from xlalint.lazy.site import Site
from xlalint.lazy.state import Raised
from xlalint.lazy.values import Value
from xlalint.program.outline import Function, Outline
from xlalint.program.project import Project
from xlalint.sources.starting import Given

if TYPE_CHECKING:
    from xlalint.analysis.classes import ClassTable
    from xlalint.analysis.names import Names


class Machine(ABC):
    """One analysis of a project: what is known of it, and how programs are run in the abstract."""

    project: Project
    names: Names
    """What names of modules and libraries mean."""
    classes: ClassTable
    """What classes of the project are, and what their instances hold."""
    lookups: Lookups
    """What was found out of the program."""
    trail: Trail
    """What the present activation leaves behind."""
    facts: Numbered[Fact]
    attributes: Numbered[AttributeKey]
    statistics: dict[str, int]
    """Counts of what was done, for `-v`."""

    def rest_on(self, kind: str, file: str, detail: str = "") -> None:
        """What is being found out rests on a fact; see `facts`."""
        self.trail.rested |= self.facts.bit((kind, file, detail))

    def mentions(self, outline: Outline, names: frozenset[str]) -> bool:
        """Whether the code of a module uses one of some names; what is being found out rests on that."""
        self.rest_on("mentions", outline.file, " ".join(sorted(names)))
        return outline.mentions(names)

    def default_of_option(self, outline: Outline, name: str) -> object:
        """What an option that a module adds is by default; what is being found out rests on that."""
        self.rest_on("option", outline.file, name)
        return outline.default_of_option(name)

    def default_of_field(self, outline: Outline, name: str) -> object:
        """What a field of classes of a module is by default; what is being found out rests on that."""
        self.rest_on("field", outline.file, name)
        return outline.default_of_field(name)

    def set_in_body(self, outline: Outline, mapping: str, key: str) -> object:
        """What the body of a module puts under a key of a mapping; what is being found out rests on that."""
        self.rest_on("set in body", outline.file, f"{mapping}\n{key}")
        return outline.set_in_body(mapping, key)

    def switched_off(self, outline: Outline, names: tuple[str, ...]) -> str:
        """A file that a setting is off in, of those that the program may read; what is being found out rests
        on that."""
        self.rest_on("switched off", outline.file, "\n".join(names))
        return self.project.switched_off(outline.path, names)

    def set_to_xla(self, outline: Outline, names: tuple[str, ...]) -> str:
        """A file in which a setting is the name of an XLA device, of those that the program may read; what is
        being found out rests on that."""
        self.rest_on("set to xla", outline.file, "\n".join(names))
        return self.project.set_to_xla(outline.path, names)

    def several_given(self, outline: Outline, option: str) -> Given | None:
        """A number above one that some command gives an option of a script; what is being found out rests on
        that."""
        self.rest_on("several given", outline.file, option)
        return self.project.several_given(outline.path, option)

    def touch(self, attribute: AttributeKey) -> None:
        """What is being found out depends on what objects hold under a name, or changes it."""
        self.trail.touched |= self.attributes.bit(attribute)

    @abstractmethod
    def flags(self, method: Function) -> dict[str, Value]:
        """What a constructor is given wherever the program makes an object, by all alike or by nobody."""

    @abstractmethod
    def sets_default_device(self, outline: Outline) -> bool:
        """Whether a program says where its tensors are made that do not say so themselves."""

    @abstractmethod
    def serves_checkpointing(self, outline: Outline) -> bool:
        """Whether a program has PyTorch's activation checkpointing work on XLA devices."""

    @abstractmethod
    def may_refuse(self, module: str, importer: Outline) -> bool:
        """Whether an import of a module may raise, as something is gone from torch or torch_xla."""

    @abstractmethod
    def swaps_parameters(self, outline: Outline) -> bool:
        """Whether moving a module keeps its parameters' identity in the program that `outline` is part of."""

    @abstractmethod
    def is_relevant(self, function: Function) -> bool:
        """Whether what a function does may matter, by what it and those that it calls name."""

    @abstractmethod
    def evaluate(self, node: ast.expr, frame: Frame, store: Store) -> Value:
        """The value of an expression."""

    @abstractmethod
    def run_block(self, body: list[ast.stmt], frame: Frame, store: Store) -> Store | None:
        """Execute statements. The store is changed in place; None: control does not go on."""

    @abstractmethod
    def invoke(self, callee: Value, call: Call) -> Value:
        """Call a value."""

    @abstractmethod
    def enter(self, bound: Bound, call: Call) -> Value:
        """Call a function of the project."""

    @abstractmethod
    def escape(self, bound: Bound, call: Call) -> None:
        """A function is handed to an unknown callee, who may call it."""

    @abstractmethod
    def run_closure(self, body: Value, arguments: list[Value], call: Call) -> None:
        """A step closure runs at the next cut, when nothing is recorded any more."""

    @abstractmethod
    def run_replica(
        self, target: Value, arguments: list[Value], call: Call, *,
        indexed: bool = True, several: bool | None = True, anew: bool = False,
        assumes: Assumptions = NONE,
    ) -> Value:  # fmt: skip
        """A function is launched on every replica; returns a list of what it returns.

        Args:
            indexed: It gets its replica's index first.
            several: There are more replicas than one; None: not known.
            anew: Each is a process of its own, that knows nothing but what importing the program sets up.
            assumes: What must be so for it to run at all.
        """

    @abstractmethod
    def tabulate(
        self, method: Function, receiver: Value, store: Store, wanted: frozenset[str] | None
    ) -> Raised | None:
        """Run a method for the attributes that it assigns in `store`, and for nothing else.

        Where only some are wanted, nothing is run that these do not depend on, and functions of the project
        that it calls are not entered.
        """

    @abstractmethod
    def reach_bound(self, what: str, site: Site, frame: Frame, store: Store) -> None:
        """The analysis is cut short here, at a bound: what follows is less sure."""


Evaluate = Callable[[Machine, Any, Frame, Store], Value]
"""How one kind of expression is evaluated."""

Execute = Callable[[Machine, Any, Frame, Store], "Store | None"]
"""How one kind of statement is executed."""

Effect = Callable[[Machine, Call], Value]
"""What calling a library function means."""
