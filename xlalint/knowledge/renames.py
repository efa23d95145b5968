"""What takes the place of a name or keyword that is gone or old, as a cure."""

from __future__ import annotations

from xlalint.cure import Cure, DropArgument, Rename, RenameKeyword
from xlalint.diagnostic import Applicability
from xlalint.knowledge import lifecycle
from xlalint.knowledge.lifecycle import Lifecycle
from xlalint.lazy.events import ApiUsed
from xlalint.versions import Version, VersionRange


def cures(use: ApiUsed, life: Lifecycle, target: VersionRange) -> tuple[Cure, ...]:
    """What may be written instead: safe where it does exactly the same in every release of `target`.

    Args:
        use: The use of the name, or of a keyword of it.
        life: The life of that name or keyword.
        target: The versions of torch_xla that the code must run on.
    """
    successor = life.successor
    if use.keyword and successor is None:
        left_out = DropArgument(
            use.site, use.keyword, title=f"Remove `{use.keyword}`",
            applicability=Applicability.SHOWN if life.removed is None else Applicability.UNSAFE,
            changes="" if life.removed is None else "what it said is no longer said",
        )  # fmt: skip
        return (left_out,)
    if successor is None or not (use.keyword or lifecycle.exists(successor, target.high)):
        return ()
    applicability = _applicability(life, target)
    title = f"Use `{successor}`"
    if use.keyword:
        return (RenameKeyword(use.site, use.keyword, successor, title=title, applicability=applicability),)
    parameters = tuple(
        (name, (known.successor or "") if _exists_since(known, target.low) else "")
        for name, known in life.keywords.items()
    )
    omitted = tuple(
        (name, known.void or "")
        for name, known in life.keywords.items()
        if known.void is not None and _exists_since(known, target.low)
    )
    rename = Rename(
        use.site, use.name, successor, parameters, omitted, oldest=target.low,
        title=title, applicability=applicability,
        changes=life.changes if applicability is Applicability.UNSAFE else "",
    )  # fmt: skip
    return (rename,)


def _applicability(life: Lifecycle, target: VersionRange) -> Applicability:
    if not _exists_since(life, target.low):
        return Applicability.SHOWN
    if life.exact:
        return Applicability.SAFE
    return Applicability.UNSAFE if life.changes else Applicability.SHOWN


def _exists_since(life: Lifecycle, version: Version) -> bool:
    """Whether what takes its place was there in `version` already."""
    return life.successor_since is not None and life.successor_since <= version
