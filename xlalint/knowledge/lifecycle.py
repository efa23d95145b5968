"""Which releases of torch_xla have a name, or of torch had one, and what replaces it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from xlalint.knowledge.gone import OF_TORCH, OF_XRT
from xlalint.versions import LATEST, RELEASES, Version


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The life of one name, or of one keyword of a function.

    `removed` is the first release without it, `deprecated` the first that warns or documents it as
    old; None where that has not happened. `exact` says that the successor, where it exists, may be
    written in its place without further thought; `changes` what comes out otherwise where it is not quite
    the same and may be written nevertheless. `keywords` holds those keywords of a function that came or went
    on their own, or all, in their order; the successor of a keyword is a keyword of the function's
    successor. One without a successor may be left out from `successor_since` on if it says `void`, or
    whatever it says if that is empty.
    """

    since: Version
    deprecated: Version | None = None
    removed: Version | None = None
    successor: str | None = None
    successor_since: Version | None = None
    exact: bool = False
    note: str = ""
    changes: str = ""
    void: str | None = None
    keywords: Mapping[str, Lifecycle] = field(default_factory=dict)


def of(name: str) -> Lifecycle | None:
    """What there is to say of a name: it is gone, deprecated, or has a settled successor.

    Args:
        name: A canonical qualified name, such as `torch_xla.core.xla_model.mark_step`.

    Returns:
        None for a name that nothing is known against, or that never was.
    """
    table = _table()
    if name in table:
        return table[name]
    holder = name.rpartition(".")[0]
    while holder:
        if holder in table:
            return _held(table[holder], name[len(holder) :])
        holder = holder.rpartition(".")[0]
    return None


def gone_part(name: str) -> tuple[str, Version] | None:
    """What of a name the newest release has not, and the first one without it; None where it has it, or
    another name may be written in its place."""
    life = of(name)
    if life is None or life.removed is None or (life.successor and (life.exact or life.changes)):
        return None
    parts = name.split(".")
    heads = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next(head for head in heads if of(head) is not None), life.removed


def exists(name: str, version: Version) -> bool:
    """Whether a release has this public name; a keyword is written `function(keyword)`.

    Parameters that a function has had all its life are not in the table.
    """
    return version in _releases().get(name, ())


def seen(name: str) -> tuple[Version, ...]:
    """The releases that have this public name, in order."""
    return _releases().get(name, ())


def is_module(name: str) -> bool:
    """Whether a name is that of a module, in whatever release."""
    return name.rpartition(".")[2].islower() and any(other.startswith(f"{name}.") for other in _releases())


def never_was(name: str) -> bool:
    """Whether a module of the newest release has and had nothing of a public name, and no fork adds it."""
    module, _, last = name.rpartition(".")
    if seen(name) or module not in _modules() or "._" in name or last in _OF_FORKS:
        return False
    return of(name) is None and not is_module(name)


@cache
def _modules() -> frozenset[str]:
    """The modules of the newest release that have public names."""
    holders = {name.rpartition(".")[0] for name, versions in _releases().items() if versions[-1] == LATEST}
    return frozenset(holder for holder in holders if holder.rpartition(".")[2].islower())


def _held(holder: Lifecycle, rest: str) -> Lifecycle | None:
    """What the end of a module or class means for a name in it."""
    if holder.removed is None:
        return None
    moved = f"{holder.successor}{rest}" if holder.successor else ""
    present = seen(moved)
    if not present or present[-1] < LATEST:
        return replace(holder, successor=None, successor_since=None, exact=False, keywords={})
    return replace(holder, successor=moved, successor_since=present[0], keywords={})


@cache
def _table() -> dict[str, Lifecycle]:
    table = {"torch_xla_py": _FORMER_PACKAGE}
    for name, (removed, note) in (OF_TORCH | OF_XRT).items():
        table[name] = Lifecycle(RELEASES[0], removed=removed, note=note)
    keywords: dict[str, dict[str, Lifecycle]] = {}
    for name, versions in _read("removed.json"):
        measured = Lifecycle(versions[0], removed=_following(versions[-1]))
        function, _, keyword = name.rstrip(")").partition("(")
        if keyword:
            keywords.setdefault(function, {})[keyword] = measured
        else:
            table[name] = measured
    gone = dict(table)
    for name, kept in _SUCCESSORS.items():
        # What went with its module is not in the table of its own.
        measured = gone.get(name) or gone.get(name.rpartition(".")[0], kept)
        table[name] = replace(kept, since=max(kept.since, measured.since), removed=measured.removed)
    for function, measured_keywords in keywords.items():
        owner = table.get(function) or Lifecycle(min(k.since for k in measured_keywords.values()))
        merged = dict(owner.keywords)
        for keyword, measured in measured_keywords.items():
            known = merged.get(keyword, measured)
            merged[keyword] = replace(known, since=measured.since, removed=measured.removed)
        table[function] = replace(owner, keywords=merged)
    return table


@cache
def _releases() -> dict[str, tuple[Version, ...]]:
    return dict(_read("releases.json"))


def _read(file: str) -> Iterator[tuple[str, tuple[Version, ...]]]:
    data = json.loads(Path(__file__).with_name(file).read_bytes())
    releases = [_version(release) for release in data["releases"]]
    for ranges, names in data["names"].items():
        versions: list[Version] = []
        for part in ranges.split(","):
            first, _, last = part.partition("..")
            start, end = releases.index(_version(first)), releases.index(_version(last or first))
            versions += releases[start : end + 1]
        for name in names:
            yield name, tuple(versions)


def _version(text: str) -> Version:
    major, _, minor = text.partition(".")
    return int(major), int(minor)


def _following(version: Version) -> Version:
    return (2, 0) if version == (1, 13) else (version[0], version[1] + 1)


def _renamed(successor: str, successor_since: Version, deprecated: Version | None = None) -> Lifecycle:
    """The successor does exactly the same. The life itself is measured."""
    return Lifecycle((1, 8), deprecated, None, successor, successor_since, True)


def _replaced(
    successor: str | None, successor_since: Version | None, note: str, deprecated: Version | None = None
) -> Lifecycle:
    """What takes its place is not quite the same, or there is nothing."""
    return Lifecycle((1, 8), deprecated, None, successor, successor_since, False, note)


def _left_out(void: str, since: Version, note: str, deprecated: Version | None = None) -> Lifecycle:
    """A keyword that has no effect from a release on, if it says `void`."""
    return Lifecycle((1, 8), deprecated, None, None, since, False, note, void=void)


def _spawn(deprecated: Version | None, *parameters: str) -> Lifecycle:
    """A launcher that was told how many processes to start; since 2.1 that could only be 1, or all."""
    took = {
        "fn": _renamed("fn", (2, 5)),
        "args": _renamed("args", (2, 5)),
        "nprocs": _renamed("debug_single_process", (2, 5)),
        "join": _left_out("True", (2, 5), "it always waits"),
        "daemon": _left_out("False", (2, 5), "there are no daemons"),
        "start_method": _renamed("start_method", (2, 5)),
    }
    launched = _replaced(
        "torch_xla.launch",
        (2, 5),
        "it uses all devices, and takes no `nprocs`, `join` or `daemon`",
        deprecated,
    )
    return replace(
        launched,
        changes="there is one process for each device, whatever number `nprocs` was but 1; "
        "under torchrun, which has started them already, the function is called once",
        keywords={name: took[name] for name in parameters},
    )


_OF_FORKS = frozenset(
    {
        "clear_computation_cache", "flash_attn", "flash_attn_varlen", "set_custom_compile_options",
        "set_send_recv_channels",
    }
)  # fmt: skip
"""What makers of other devices have in their builds of torch_xla, as Tenstorrent."""

_FORMER_PACKAGE = Lifecycle((1, 8), None, (1, 8), note="since 2020 the package is called `torch_xla`")

# Kept by hand; a test holds each line against the measured releases. What is only proposed as a
# successor (torch_xla.devices, torch_xla.real_devices, runtime.device_type) is left out on purpose,
# and so is set_rng_state, which also restores what get_rng_state gave.
_SUCCESSORS: dict[str, Lifecycle] = {
    "torch_xla.core.xla_model.mark_step": replace(
        _renamed("torch_xla.sync", (2, 4), (2, 8)),
        keywords={"wait": _renamed("wait", (2, 5)), "reset_scope": _renamed("reset_scope", (2, 8))},
    ),
    "torch_xla.core.xla_model.xla_device": replace(
        _renamed("torch_xla.device", (2, 3), (2, 8)),
        keywords={
            "n": _renamed("index", (2, 3)),
            "devkind": _left_out("", (2, 8), "remove it: it has no effect", (2, 8)),
        },
    ),
    "torch_xla.core.xla_model.xrt_world_size": replace(
        _renamed("torch_xla.runtime.world_size", (2, 1), (2, 5)),
        keywords={"defval": _left_out("", (2, 1), "it takes no default")},
    ),
    "torch_xla.core.xla_model.get_ordinal": replace(
        _renamed("torch_xla.runtime.global_ordinal", (2, 1), (2, 5)),
        keywords={"defval": _left_out("", (2, 1), "it takes no default")},
    ),
    "torch_xla.core.xla_model.get_local_ordinal": _renamed("torch_xla.runtime.local_ordinal", (2, 1)),
    "torch_xla.core.xla_model.parse_xla_device": _replaced(
        "torch_xla._internal.utils.parse_xla_device", (2, 5), "it is private", (2, 5)
    ),
    "torch_xla.core.xla_model.get_xla_supported_devices": Lifecycle(
        (1, 8),
        keywords={"devkind": _replaced(None, None, "remove it: only one kind of device is left", (2, 3))},
    ),
    "torch_xla.core.xla_model.CollectiveContext": _replaced(
        None, None, "remove it, and the `cctx` argument of the functions that took it"
    ),
    "torch_xla.core.functions.nms": _replaced(
        "torchvision.ops.nms", None, "the shape of its result depends on the data"
    ),
    "torch_xla.distributed.xla_multiprocessing.spawn": _spawn(
        None, "fn", "args", "nprocs", "join", "daemon", "start_method"
    ),
    "torch_xla.distributed.parallel_loader.ParallelLoader": replace(
        _replaced("torch_xla.distributed.parallel_loader.MpDeviceLoader", (1, 8), "iterate over it directly"),
        changes="its threads start when it is iterated over, each time, and no longer when it is made",
    ),
    "torch_xla.distributed.xla_dist": _replaced(
        "torchrun", None, "it is a command: launch the program with it"
    ),
    "torch_xla.experimental.compile": _renamed("torch_xla.compile", (2, 5), (2, 5)),
    "torch_xla.experimental.eager.compile": _renamed("torch_xla.compile", (2, 5), (2, 5)),
    "torch_xla.compile": Lifecycle(
        (2, 5), keywords={"num_different_graphs_allowed": _renamed("max_different_graphs", (2, 8))}
    ),
    "torch_xla.torch_xla.compile": Lifecycle(
        (2, 5), keywords={"num_different_graphs_allowed": _renamed("max_different_graphs", (2, 8))}
    ),
    "torch_xla.runtime.xla_device": replace(
        _renamed("torch_xla.device", (2, 3)),
        keywords={"n": _renamed("index", (2, 3)), "devkind": _left_out("", (2, 8), "it is ignored")},
    ),
    "torch_xla.runtime.using_pjrt": _replaced(None, None, "remove it: it is always true"),
    "torch_xla.runtime.requires_pjrt": _replaced(None, None, "remove the decorator"),
    "torch_xla.amp.GradScaler": _replaced(None, None, "remove the scaler and use bfloat16 autocast"),
    "torch_xla.amp.grad_scaler": _replaced(None, None, "remove the scaler and use bfloat16 autocast"),
    "torch_xla.amp.custom_fwd": _replaced("torch.amp.custom_fwd", None, "pass `device_type`"),
    "torch_xla.amp.custom_bwd": _replaced("torch.amp.custom_bwd", None, "pass `device_type`"),
    "torch_xla.experimental.triton": _replaced(
        None, None, "XLA:CUDA was removed: use PyTorch's own CUDA support"
    ),
    "torch_xla.experimental.xla_sharding": _renamed("torch_xla.distributed.spmd", (2, 2), (2, 2)),
    "torch_xla.experimental.xla_sharded_tensor": _renamed(
        "torch_xla.distributed.spmd.xla_sharded_tensor", (2, 2), (2, 2)
    ),
    "torch_xla.experimental.gpu": _replaced(
        None, None, "XLA:CUDA was removed: use PyTorch's own CUDA support", (2, 1)
    ),
    "torch_xla.experimental.tpu": _renamed("torch_xla._internal.tpu", (2, 1), (2, 1)),
    # Its functions are those of the runtime since that exists; others are listed below.
    "torch_xla.experimental.pjrt": replace(
        _renamed("torch_xla.runtime", (2, 1), (2, 1)), note="most functions moved there"
    ),
    "torch_xla.experimental.pjrt.using_pjrt": _replaced(None, None, "remove it: it is always true", (2, 1)),
    "torch_xla.experimental.pjrt.requires_pjrt": _replaced(None, None, "remove the decorator"),
    "torch_xla.experimental.pjrt.xla_device": replace(
        _renamed("torch_xla.device", (2, 3), (2, 1)),
        keywords={"n": _renamed("index", (2, 3)), "devkind": _left_out("", (2, 8), "it is ignored")},
    ),
    "torch_xla.experimental.pjrt.spawn": _spawn((2, 1), "fn", "nprocs", "start_method", "args"),
    "torch_xla.experimental.pjrt.rendezvous": _replaced(
        "torch_xla.core.xla_model.xla_rendezvous", (2, 1), "pass the payload as bytes", (2, 1)
    ),
    "torch_xla.experimental.pjrt.broadcast_master_param": _renamed(
        "torch_xla.core.xla_model.broadcast_master_param", (2, 1), (2, 1)
    ),
    "torch_xla.experimental.pjrt.device_attributes": replace(
        _renamed("torch_xla.runtime.runtime_device_attributes", (2, 1), (2, 1)), since=(2, 0)
    ),
    "torch_xla.experimental.pjrt.global_device_attributes": replace(
        _renamed("torch_xla.runtime.global_runtime_device_attributes", (2, 1), (2, 1)), since=(2, 1)
    ),
}
