"""Loops over loaders, known by their iterators: begun, ended, left early."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Sized
from contextlib import suppress
from typing import Any

import torch
import torch_xla.distributed.parallel_loader as parallel_loader
from torch.utils.data import BatchSampler, DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter

from xlalint.lazy.site import Site
from xlalint.lazy.values import Ragged
from xlalint_runtime import pending
from xlalint_runtime.exits import at_head, exit_between
from xlalint_runtime.replica import Replica, RunningLoop
from xlalint_runtime.sites import Chain, is_at_for, leaving, user_chain, written
from xlalint_runtime.stopping import Deliberate
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
            replica.begins_loader = True
            _begin(watch, replica, iterator)
        loop = replica.loops[id(iterator)]
        loop.batches += 1
        try:
            batch = original(iterator)
        except BaseException:
            # Only a loop that comes to the end of a loader meets its last batch.
            if replica.loops.pop(id(iterator)).by_for and replica.around:
                replica.around[-1].ragged = _ragged(watch, iterator)
            raise
        if not loop.cuts:
            replica.batch = frozenset(map(id, pending.tensors_in(batch)))
        watch.at_batch(batch, is_rest=loop.batches == loop.rest)
        return batch

    return following


def _made(watch: Watch, original: Any) -> Any:
    """A loader is made. The number of its samples is known, and whether a smaller batch is left over."""

    @functools.wraps(original)
    def make(loader: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(loader, *args, **kwargs)
        batches, chain = loader.batch_sampler, user_chain()
        if chain and type(batches) is BatchSampler and not batches.drop_last and _leaves_a_rest(batches):
            watch.report.chain(chain)
            watch.ragged[batches] = chain[-1].site
        return result

    return make


def _device_loader_made(watch: Watch, original: Any) -> Any:
    """A loader of XLA is made."""

    @functools.wraps(original)
    def make(loader: Any, *args: Any, **kwargs: Any) -> None:
        original(loader, *args, **kwargs)
        if chain := user_chain():
            site = chain[-1].site
            watch.device_loaders[loader] = site
            watch.tell(chain, lambda state, site: watch.model.make_loader(state, written(site), site))

    return make


def _device_loader_begins(watch: Watch, original: Any) -> Any:
    """A loader of XLA begins anew, with threads that make its batches."""

    @functools.wraps(original)
    def begin(loader: Any) -> Any:
        iterator = original(loader)
        made = watch.device_loaders.get(loader)
        if made is not None:
            watch.device_loaders[iterator] = made
        return iterator

    return begin


def _batches_for_nobody(iterator: Any) -> int | None:
    """From how many batches on that are never taken the threads of an iterator wait for ever; None: that is
    not known. Each holds some in its hands beside those in the queues."""
    threads = iterator._loader
    try:
        batches = len(threads._cpu_loader)
    except TypeError:
        return None
    queues = threads._queues.values()
    held = sum(each.cpu_loader_queue.max_size() + 2 * each.queue.max_size() + 2 for each in queues)
    return batches - int(held)


def _leaves_a_rest(batches: BatchSampler) -> bool:
    sampler = batches.sampler
    return isinstance(sampler, Sized) and len(sampler) % batches.batch_size != 0


def _ragged(watch: Watch, iterator: Any) -> Ragged | None:
    """Whether the last batch of what is iterated is smaller, and where its loader was made."""
    batches = _drawing(iterator)
    built = watch.ragged.get(batches) if type(batches) is BatchSampler else None
    return None if built is None else Ragged((built,))


def _drawing(iterator: Any) -> Any:
    """What draws the batches of what is iterated; None: nothing that is known."""
    if isinstance(iterator, parallel_loader.PerDeviceLoader):
        return getattr(iterator._loader._cpu_loader, "batch_sampler", None)
    return iterator._index_sampler


def _begin(watch: Watch, replica: Replica, iterator: Any) -> None:
    # Every batch of a device loader is a cut; around another one the program must cut.
    cuts = isinstance(iterator, parallel_loader.PerDeviceLoader)
    rest = len(_drawing(iterator)) if _ragged(watch, iterator) is not None else None
    made = watch.device_loaders.get(iterator) if cuts else None
    strands = _batches_for_nobody(iterator) if made is not None else None
    replica.loops[id(iterator)] = RunningLoop(
        replica.cuts, cuts, is_at_for(), rest, made=made, strands_before=strands
    )
    finalizer = weakref.finalize(iterator, _finalize, watch, replica, id(iterator))
    finalizer.atexit = False


def _finalize(watch: Watch, replica: Replica, identity: int) -> None:
    # What a finalizer raises ends nothing, and is printed: the program ends at the next event.
    with suppress(Deliberate):
        _dropped(watch, replica, identity)


def _dropped(watch: Watch, replica: Replica, identity: int) -> None:
    """Nobody holds an iterator any more: before its end, when the loop over it was left early."""
    loop = replica.loops.pop(identity, None)
    chain = _without_closed_generators(user_chain())
    if loop is None or not chain or not chain[-1].loops or watch.replica is not replica:
        return  # Somebody has held it until long after the loop: when that was left, was seen.
    if not (loop.cuts or replica.cuts > loop.cuts_before):
        return
    site, left = chain[-1].site, chain[-1].loops[-1]
    how = leaving(site)
    if how is None and loop.by_for:
        # A `finally` may run between the statement that leaves and the end of the loop.
        seen = replica.around[-1].line if replica.around else site.line
        found = exit_between(left, seen, site.line, _EXITS) or (at_head(left) if is_at_for() else None)
        if found is not None:
            site, how = found
    if how == "raise" or (how is None and loop.by_for):
        # Nothing else ends a `for` in the midst of its body. Whether somebody catches it, which
        # the analyzer cannot know and is silent about, shows when more work or the end comes.
        how = "exception"
    if how is not None:
        chain = (*chain[:-1], chain[-1]._replace(site=site))
        watch.tell(chain, lambda state, site: watch.model.leave_loop(state, how, site))
        if how in _EXITS and loop.made is not None and loop.strands:
            _tell_abandoned(watch, chain, loop.made)
        if replica.around:
            replica.around[-1].is_left = True


def _tell_abandoned(watch: Watch, chain: Chain, made: Site) -> None:
    spelling = written(made)
    watch.tell(chain, lambda state, site: watch.model.abandon_loader(state, spelling, made, site))


def _without_closed_generators(chain: Chain) -> Chain:
    """The frames of those that asked generators for batches, when these are closed at their `yield`."""
    while chain and chain[-1].code.co_flags & inspect.CO_GENERATOR and leaving(chain[-1].site) is None:
        chain = chain[:-1]
    return chain


_EXITS = frozenset({"break", "return"})


def _choose(watch: Watch, original: Any) -> Any:
    """A token is chosen, by what a model says of each: a loop may do so round by round."""

    @functools.wraps(original)
    def choose(*args: Any, **kwargs: Any) -> Any:
        chosen = original(*args, **kwargs)
        if pending.is_device_tensor(chosen) and (chain := user_chain()):
            watch.chosen(chain, chosen)
        return chosen

    return choose


def _may_train(watch: Watch, _: tuple[Any, ...]) -> bool:
    return bool(torch.is_grad_enabled())


HOOKS = (
    Hook(torch, "argmax", _choose, _may_train),
    Hook(torch.Tensor, "argmax", _choose, _may_train),
    Hook(parallel_loader.PerDeviceLoader, "next", _next),
    Hook(_BaseDataLoaderIter, "__next__", _next),
    Hook(DataLoader, "__init__", _made),
    Hook(parallel_loader.MpDeviceLoader, "__init__", _device_loader_made),
    Hook(parallel_loader.MpDeviceLoader, "__iter__", _device_loader_begins),
)
