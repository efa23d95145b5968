"""Loops over loaders, known by their iterators: begun, ended, left early."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import torch_xla.distributed.parallel_loader as parallel_loader
from torch.utils.data.dataloader import _BaseDataLoaderIter

from xlalint_runtime.replica import Replica, RunningLoop
from xlalint_runtime.sites import is_at_for, leaving, user_chain
from xlalint_runtime.watch import Hook, Watch


def _next(watch: Watch, original: Any) -> Any:
    """A loader is asked for a batch by the user; its own threads iterate too."""

    @functools.wraps(original)
    def following(iterator: Any) -> Any:
        chain = user_chain()
        if not chain:
            return original(iterator)
        replica = watch.replica
        replica.batches += 1
        watch.at(chain)
        if is_at_for() and replica.around and replica.around[-1].call == chain[-1].call:
            replica.around[-1].is_over_loader = True
        if id(iterator) not in replica.loops:
            _begin(watch, replica, iterator)
        try:
            return original(iterator)
        except BaseException:
            replica.loops.pop(id(iterator))
            raise

    return following


def _begin(watch: Watch, replica: Replica, iterator: Any) -> None:
    # Every batch of a device loader is a cut; around another one the program must cut.
    cuts = isinstance(iterator, parallel_loader.PerDeviceLoader)
    replica.loops[id(iterator)] = RunningLoop(replica.cuts, cuts, is_at_for())
    finalizer = weakref.finalize(iterator, _dropped, watch, replica, id(iterator))
    finalizer.atexit = False


def _dropped(watch: Watch, replica: Replica, identity: int) -> None:
    """Nobody holds an iterator any more: before its end, when the loop over it was left early."""
    loop = replica.loops.pop(identity, None)
    chain = user_chain()
    if loop is None or not chain or watch.replica is not replica:
        return
    how = leaving(chain[-1].site)
    if how == "raise" or (how is None and loop.by_for):
        # Nothing else ends a `for` in the midst of its body. Whether somebody catches it, which
        # the analyzer cannot know and is silent about, shows when more work or the end comes.
        how = "exception"
    if how is not None and (loop.cuts or replica.cuts > loop.cuts_before):
        watch.tell(chain, lambda state, site: watch.model.leave_loop(state, how, site))


HOOKS = (
    Hook(parallel_loader.PerDeviceLoader, "next", _next),
    Hook(_BaseDataLoaderIter, "__next__", _next),
)
