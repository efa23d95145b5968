"""Write down the names that modules of torch have, from the installed one.

Usage: python scripts/build_members.py
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path

MODULES = (
    "torch", "torch.amp", "torch.autograd", "torch.cuda", "torch.cuda.amp", "torch.distributed",
    "torch.distributed.checkpoint", "torch.distributed.fsdp", "torch.nn", "torch.nn.functional",
    "torch.nn.init", "torch.nn.parallel", "torch.nn.utils", "torch.optim", "torch.optim.lr_scheduler",
    "torch.optim.swa_utils", "torch.utils", "torch.utils.checkpoint", "torch.utils.data",
    "torch.utils.data.distributed",
)  # fmt: skip
"""Those that programs take most from."""
KNOWLEDGE = Path(__file__).resolve().parent.parent / "xlalint" / "knowledge"


def main() -> None:
    (KNOWLEDGE / "members.json").write_text(json.dumps(members(), indent=0) + "\n", encoding="utf-8")


def members() -> dict[str, str]:
    """The public names that each module has, parts included, which are there once they are imported."""
    found: dict[str, str] = {}
    for module in MODULES:
        holder = importlib.import_module(module)
        parts = {part.name for part in pkgutil.iter_modules(getattr(holder, "__path__", ()))}
        found[module] = " ".join(sorted(n for n in parts | {*dir(holder)} if not n.startswith("_")))
    return found


if __name__ == "__main__":
    main()
