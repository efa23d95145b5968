"""Write down what the functions and classes of torch and torch_xla take, from the installed ones.

Usage: python scripts/build_signatures.py

Only what is Python's own tells what it takes, and what takes anything is left out.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterator
from pathlib import Path

MODULES = (
    "torch.amp", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.parallel", "torch.nn.utils",
    "torch.optim", "torch.optim.lr_scheduler", "torch.utils.checkpoint", "torch.utils.data",
    "torch.utils.data.distributed",
    "torch_xla", "torch_xla.amp", "torch_xla.core.xla_model", "torch_xla.distributed.fsdp",
    "torch_xla.distributed.parallel_loader", "torch_xla.distributed.spmd",
    "torch_xla.distributed.xla_multiprocessing", "torch_xla.runtime", "torch_xla.utils.checkpoint",
)  # fmt: skip
ALONE = {"torch": "autocast"}
"""What is taken of a module of which the rest is left out."""
TAKEN_BEFORE = {"torch.optim.lr_scheduler": "verbose"}
"""What all in a module have taken last, in releases of torch that programs may still be run with."""
KNOWLEDGE = Path(__file__).resolve().parent.parent / "xlalint" / "knowledge"


def main() -> None:
    text = json.dumps(dict(sorted(signatures())), indent=0)
    (KNOWLEDGE / "signatures.json").write_text(text + "\n", encoding="utf-8")


def signatures() -> Iterator[tuple[str, str]]:
    """The names that take something in particular, each with its parameters as `written`."""
    for module in (*ALONE, *MODULES):
        try:
            holder = importlib.import_module(module)
        except ImportError:
            continue
        for name, held in vars(holder).items():
            if name.startswith("_") or not callable(held) or ALONE.get(module, name) != name:
                continue
            try:
                found = inspect.signature(held)
            except (TypeError, ValueError):
                continue
            if (text := written(found)) is not None:
                before = TAKEN_BEFORE.get(module)
                yield f"{module}.{name}", f"{text}, {before}=" if before else text


def written(signature: inspect.Signature) -> str | None:
    """The names of parameters, as `given, or_default=, *, by_name=`; None where anything is taken."""
    parts: list[str] = []
    by_name = False
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            return None
        if parameter.kind is parameter.KEYWORD_ONLY and not by_name:
            by_name = True
            parts.append("*")
        parts.append(parameter.name + ("" if parameter.default is parameter.empty else "="))
    return ", ".join(parts)


if __name__ == "__main__":
    main()
