"""Executes one program as `__main__` in this process, on one replica or several, and measures it."""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import os
import socket
import sys
import threading
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch_xla
from torch_xla._internal import pjrt

from xlalint.registry import all_rules
from xlalint.settings import SettingsFinder
from xlalint_runtime import child, counters, environment, replicas
from xlalint_runtime.guarding import Guard
from xlalint_runtime.hooks import Patches
from xlalint_runtime.proving import seeds
from xlalint_runtime.proving.leaving_out import leaving_out
from xlalint_runtime.proving.measurement import Job
from xlalint_runtime.report import plain
from xlalint_runtime.request import Request

Send = Callable[[dict[str, Any]], None]

_AT_END = "__xlalint_at_end__"


def execute(job: Job, send: Send) -> None:
    """Run the program of `job` and send what was measured, findings as soon as there are any."""
    _prepare(job.replicas, job.devices or job.replicas)
    replicas.order_saves(Patches())
    rules = [rule for rule in all_rules() if rule.enabled or rule.code in job.also]
    guard = Guard(rules, on_news=lambda placed: send(_seen(guard)))
    run = _Run(job, guard if job.guarded else None)
    with seeds.shifted(job.seed), counters.count_operations_compiled() as operations:
        run.execute()
    launched = counters.counts()
    send(
        {
            "launches": launched.launches,
            "compiles": launched.compiles,
            "operations": operations[0],
            "pending": run.pending,
            "held": run.held,
            "threads": run.threads,
            "raised": run.raised,
            "numbers": run.numbers(),
            **_seen(guard),
        }
    )
    if job.trained and run.raised is None:
        send({"trained": run.moved.changed(), "parameters": run.moved.values()})
    if job.other_seed is not None and run.raised is None and job.replicas == 1:
        send({"complete": True})
        del run
        send({"reseeded": _numbers_again(job, job.other_seed)})


def _numbers_again(job: Job, seed: int) -> list[float] | None:
    """What main() returns where the program is run once more, in a process that has compiled its graphs."""
    folder = str(Path(job.program).parent)
    for name, module in [*sys.modules.items()]:
        if (getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]  # what its own modules hold was drawn under the first seed
    gc.collect()
    run = _Run(job, None)
    with seeds.shifted(seed):
        run.execute()
    return run.numbers() if run.raised is None else None


def _prepare(number: int, devices: int) -> None:
    os.environ.update({**environment.of_replicas(number), "CPU_NUM_DEVICES": str(devices)})
    # Programs run side by side, and torch_xla lets every process group meet at the same port.
    os.environ["MASTER_PORT"] = str(_free_port())


def execute_as_user(job: Job, send: Send) -> None:
    """Run the program of `job` as `xlalint run` does, and send what it reported."""
    held: dict[str, Any] = {"args": (), **(job.request or {})}
    held["args"] = tuple(held["args"])
    finder = SettingsFinder(isolated=True)
    request = Request(job.program, **held, finder=finder, report=str(Path("report.json").absolute()))
    _prepare(job.replicas, job.replicas)
    session, program = child.prepared(request)
    raised: str | None = None
    with leaving_out(job.without):
        if job.guarded:
            session.begin()
            session.covering.begin()
        try:
            program.run(session.fails)
        except BaseException as error:
            raised = type(error).__name__
            sys.excepthook(type(error), error, error.__traceback__)
        session.end()
    launched = counters.counts()
    send(
        {
            "launches": launched.launches,
            "compiles": launched.compiles,
            "raised": raised,
        }
    )


def _seen(guard: Guard) -> dict[str, Any]:
    return {
        "findings": [plain(one) for one in guard.diagnostics()],
        "emitted": sorted(kind.__name__ for kind in guard.emitted),
    }


def _free_port() -> int:
    with socket.create_server(("localhost", 0)) as server:
        return int(server.getsockname()[1])


class _Run:
    def __init__(self, job: Job, guard: Guard | None) -> None:
        self.job = job
        self.guard = guard
        self.pending = 0
        self.held = 0
        self.threads = 0
        self.raised: str | None = None
        self.returned: dict[int, Any] = {}
        self.moved = MovedParameters()
        self._launched = False
        self._lock = threading.Lock()

    def execute(self) -> None:
        path = Path(self.job.program)
        tree = ast.parse(path.read_bytes(), str(path))
        prefix, guard_block, main = _split(tree)
        _call_at_end(main)
        module = types.ModuleType("__main__")
        module.__dict__.update(__file__=str(path), __builtins__=__builtins__)
        module.__dict__[_AT_END] = self._at_end_of_main
        sys.modules["__main__"] = module
        sys.path.insert(0, str(path.parent))
        sys.argv = [str(path)]
        self._run_launched_functions_here()
        with self.moved, leaving_out(self.job.without), self.guard or contextlib.nullcontext():
            try:
                exec(compile(prefix, str(path), "exec"), module.__dict__)
                module.__dict__["main"] = self._returning(module.__dict__["main"])
                if self.job.replicas > 1 and not _launches(tree):
                    replicas.run_on_every_replica(module.__dict__["main"])
                else:
                    exec(compile(guard_block, str(path), "exec"), module.__dict__)
            except SystemExit as error:
                if error.code:
                    self.raised = "SystemExit"
            except BaseException as error:
                self.raised = type(error).__name__
                traceback.print_exc()

    def numbers(self) -> list[float] | None:
        """What main() returned on each replica, in a row; None when it returned no numbers.

        Of a tensor it is the sum: a program whose work must stay pending returns its parameters.
        """
        found: list[Any] = []
        for _, value in sorted(self.returned.items()):
            if not isinstance(value, (list, tuple)):
                return None
            found += value
        if any(isinstance(value, torch.Tensor) for value in found):
            torch_xla.sync()  # Else each of them would compile what all of them need.
        return [float(v.detach().sum() if isinstance(v, torch.Tensor) else v) for v in found] or None

    def _returning(self, main: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(main)
        def returning(*args: Any, **kwargs: Any) -> Any:
            value = main(*args, **kwargs)
            if value is not None:
                with self._lock:
                    self.returned[replicas.rank()] = value
            return value

        return returning

    def _at_end_of_main(self) -> None:
        if not self._launched:  # Else every replica has told of its end, the first one's device is main's.
            self._at_end()

    def _at_end(self) -> None:
        self.threads = threading.active_count()
        if self.guard is not None:
            self.guard.end()
        if torch_xla._XLAC._xla_runtime_is_initialized():
            # A loss that an exception's traceback or a cycle keeps alive is no pending work.
            gc.collect()
            device = torch_xla._XLAC._xla_get_default_device()
            pending, held = counters.pending_tensors(device), counters.held_tensors(device)
            with self._lock:
                self.pending += pending
                self.held += held

    def _run_launched_functions_here(self) -> None:
        """Let `launch` and `spawn` run replicas as threads of this process, not of another one."""

        replicas.launch_here(Patches())
        launch = pjrt.run_multiprocess

        def run_multiprocess(fn: Any, *args: Any, **kwargs: Any) -> Any:
            self._launched = True
            fn.fn = functools.partial(self._launch, fn.fn)
            return launch(fn, *args, **kwargs)

        pjrt.run_multiprocess = run_multiprocess

    def _launch(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run a launched function on one replica."""
        try:
            return self._returning(function)(*args, **kwargs)
        finally:
            self._at_end()


class MovedParameters:
    """Remembers the parameters of every module as they were before it moved to the device.

    It keeps the modules alive, so that a model that a helper function built still counts as pending
    work, and can be compared, when main() ends.
    """

    def __init__(self) -> None:
        self._before: list[tuple[torch.nn.Module, dict[str, torch.Tensor]]] = []
        self._moving = threading.local()

    def __enter__(self) -> MovedParameters:
        self._apply = torch.nn.Module._apply
        original = self._apply
        remembered = self

        @functools.wraps(original)
        def apply(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            outermost = not getattr(remembered._moving, "inside", False)
            if not outermost:
                return original(module, *args, **kwargs)
            host = {n: p.detach().clone() for n, p in module.named_parameters() if p.device.type == "cpu"}
            remembered._moving.inside = True
            try:
                moved = original(module, *args, **kwargs)
            finally:
                remembered._moving.inside = False
            if host and any(p.device.type == "xla" for p in module.parameters()):
                remembered._before.append((module, host))
            return moved

        torch.nn.Module._apply = apply
        return self

    def __exit__(self, *_: object) -> None:
        torch.nn.Module._apply = self._apply

    def changed(self) -> bool | None:
        """Whether any parameter differs now; None when no module moved. Reads the parameters."""
        if not self._before:
            return None
        return any(
            name in before and not torch.equal(parameter.detach().cpu(), before[name])
            for module, before in self._before
            for name, parameter in module.named_parameters()
        )

    def values(self) -> list[float]:
        """All elements of the parameters as they are now, module by module. Reads the parameters."""
        parameters = (one.detach().cpu() for module, _ in self._before for one in module.parameters())
        return [value for one in parameters for value in one.double().flatten().tolist()]


def _split(tree: ast.Module) -> tuple[ast.Module, ast.Module, ast.FunctionDef]:
    """The module without its `if __name__ == "__main__"` block, that block, and main()."""
    last = tree.body[-1]
    if not (isinstance(last, ast.If) and "__main__" in ast.unparse(last.test)):
        raise ValueError('a program to be proven ends with `if __name__ == "__main__":`')
    mains = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
    if not mains:
        raise ValueError("a program to be proven has a function main()")
    return ast.Module(tree.body[:-1], []), ast.Module([last], []), mains[-1]


def _call_at_end(main: ast.FunctionDef) -> None:
    """Let main() call back when it ends, in whatever way, while its variables are still alive."""
    call = ast.Expr(ast.Call(ast.Name(_AT_END, ast.Load()), [], []))
    ending = ast.Try(main.body, [], [], [call])
    ast.copy_location(ending, main.body[0])
    ast.copy_location(call, main.body[-1])
    main.body = [ending]
    ast.fix_missing_locations(main)


def _launches(tree: ast.Module) -> bool:
    """Whether the program starts its replicas itself."""
    return any(
        isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("launch", "spawn")
        for node in ast.walk(tree)
    )
