"""No hook of the guard can be left out unnoticed: in some program the findings are then not those marked.

That they are with all hooks is held where proofs and the guard are tested.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fixture_programs import CLEAN, FIXTURES, read_program
from guard_findings import contradictions, contradictions_of_its_own_guard
from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job, Measurement
from xlalint_runtime.proving.prove import job

PROGRAMS = Path(__file__).parent / "programs"

ITS_OWN_RULES = PROGRAMS / "rules_of_its_own.py"
COLLECTIVES = PROGRAMS / "collectives_one_by_one.py"
ON_THE_CPU = FIXTURES / "XLA102/sums_of_all_sorts_on_the_cpu.py"
NOTICED_BY = {
    "_XLAC._xla_step_marker": FIXTURES / "XLA101/log_in_step.py",
    "_XLAC._set_use_eager_mode": FIXTURES / "clean/eager_mode_for_a_while.py",
    "_XLAC._xla_sync_multi": FIXTURES / "XLA602/save_every_nth_step.py",
    "_XLAC._xla_get_default_device_ordinal": FIXTURES / "XLA501/log_the_loss_on_the_master.py",
    "torch_xla.runtime.local_ordinal": FIXTURES / "XLA501/progress_of_the_local_master.py",
    "_XLAC._xla_all_reduce": COLLECTIVES,
    "_XLAC._xla_all_reduce_inplace": COLLECTIVES,
    "_XLAC._xla_all_gather": COLLECTIVES,
    "_XLAC._xla_all_gather_out": COLLECTIVES,
    "_XLAC._xla_all_gather_coalesced": COLLECTIVES,
    "_XLAC._xla_all_gather_coalesced_out": COLLECTIVES,
    "_XLAC._xla_all_to_all": COLLECTIVES,
    "_XLAC._xla_collective_permute": COLLECTIVES,
    "_XLAC._xla_reduce_scatter": COLLECTIVES,
    "_XLAC._xla_reduce_scatter_out": COLLECTIVES,
    "torch.ops._c10d_functional.all_reduce": COLLECTIVES,
    "_XLAC._xla_get_default_device": FIXTURES / "XLA805/ones_on_the_device.py",
    "_XLAC._xla_computation_cache_is_initialized": FIXTURES / "XLA803/probed_before.py",
    "torch_xla.runtime.use_spmd": FIXTURES / "XLA805/ones_on_the_device.py",
    "torch_xla.distributed.spmd.mark_sharding": FIXTURES / "XLA807/axis_twice.py",
    "torch_xla.distributed.spmd.xla_sharding.ShardingSpec.__post_init__": (
        FIXTURES / "XLA807/axis_of_the_batches.py"
    ),
    "torch_xla.experimental.spmd_fully_sharded_data_parallel.SpmdFullyShardedDataParallel.__init__": (
        FIXTURES / "XLA812/mesh_of_data.py"
    ),
    "torch_xla.experimental.spmd_fully_sharded_data_parallel.SpmdFullyShardedDataParallel.forward": (
        FIXTURES / "XLA812/dict_of_logits.py"
    ),
    "torch_xla.core.xla_model._get_device_context": ITS_OWN_RULES,
    "torch_xla._patched_functions.torch": FIXTURES / "XLA508/clip_then_reduce.py",
    "torch.nn.utils.clip_grad._group_tensors_by_device_and_dtype": ITS_OWN_RULES,
    "torch.amp.grad_scaler.GradScaler.unscale_": ITS_OWN_RULES,
    "torch.amp.grad_scaler.GradScaler.step": FIXTURES / "XLA703/grad_scaler_loop.py",
    "torch.distributed.checkpoint.load": FIXTURES / "XLA607/run_that_goes_on.py",
    "torch_xla.core.xla_model._fetch_gradients": FIXTURES / "XLA508/clip_then_sum_by_hand.py",
    "torch_xla.core.xla_model.mesh_reduce": FIXTURES / "XLA709/mean_of_the_epoch.py",
    "torch_xla.core.xla_model.xla_rendezvous": COLLECTIVES,
    "torch.Tensor.item": FIXTURES / "XLA101/log_in_step.py",
    "torch.Tensor.tolist": FIXTURES / "XLA102/next_batch_by_hand.py",
    "torch.argmax": FIXTURES / "XLA202/text_of_a_decoder.py",
    "torch.Tensor.argmax": FIXTURES / "XLA202/text_of_a_decoder.py",
    "torch.Tensor.cpu": FIXTURES / "XLA101/unknown_loss_function.py",
    "torch.Tensor.numpy": FIXTURES / "XLA102/evaluation_kept_on_the_host.py",
    "torch.Tensor.to": FIXTURES / "XLA102/evaluation_kept_on_the_host.py",
    "torch.Tensor.__float__": ITS_OWN_RULES,
    "torch.Tensor.__int__": ITS_OWN_RULES,
    "torch.Tensor.__bool__": FIXTURES / "XLA103/branch_on_loss.py",
    "torch.Tensor.__index__": FIXTURES / "XLA103/label_by_prediction.py",
    "torch.Tensor.__repr__": ITS_OWN_RULES,
    "torch.Tensor.__format__": FIXTURES / "XLA501/log_the_loss_on_the_master.py",
    "torch.Tensor.__iadd__": ON_THE_CPU,
    "torch.Tensor.__isub__": ON_THE_CPU,
    "torch.Tensor.__imul__": ON_THE_CPU,
    "torch.Tensor.__itruediv__": ON_THE_CPU,
    "torch.Tensor.__setitem__": ON_THE_CPU,
    "torch.Tensor.copy_": ON_THE_CPU,
    "torch.serialization._save": FIXTURES / "XLA601/features_one_file_each.py",
    "torch.serialization._legacy_save": FIXTURES / "XLA601/format_of_old_releases.py",
    "torch_xla.debug.profiler.Trace.__enter__": FIXTURES / "XLA301/trace_me.py",
    "torch_xla.debug.profiler.Trace.__exit__": FIXTURES / CLEAN / "trace_between_two_cuts.py",
    "torch_xla.distributed.parallel_loader.PerDeviceLoader.next": FIXTURES / "XLA404/one_epoch.py",
    "torch.utils.data.dataloader.DataLoader.__init__": FIXTURES / "XLA404/one_epoch.py",
    "torch.utils.data.dataloader._BaseDataLoaderIter.__next__": ITS_OWN_RULES,
    "torch.nn.modules.module.Module._call_impl": FIXTURES / "XLA203/break_then_evaluate.py",
    "torch_xla.distributed.zero_redundancy_optimizer.ZeroRedundancyOptimizer._shard_parameters": (
        FIXTURES / "XLA701/shared_out_before_the_move.py"
    ),
    "torch.nn.modules.module.Module._apply": FIXTURES / "XLA701/model_moved_in_place.py",
    "torch.random._seed_custom_device": FIXTURES / "XLA707/dropout_of_every_seed.py",
    "_XLAC._xla_set_rng_seed": FIXTURES / "clean/both_seeds.py",
    "torch._VF.dropout": FIXTURES / "XLA707/dropout_of_every_seed.py",
    "torch.multinomial": FIXTURES / "XLA707/samples_of_every_seed.py",
    "torch.Tensor.multinomial": FIXTURES / "XLA707/samples_of_every_seed.py",
    "torch.utils.checkpoint._infer_device_type": FIXTURES / "XLA708/blocks_of_a_transformer.py",
    "torch.autograd.backward": ITS_OWN_RULES,
    "torch.amp.autocast_mode.autocast.__init__": FIXTURES / "XLA705/bfloat16_of_a_gpu.py",
    "torch.amp.autocast_mode.autocast.__enter__": FIXTURES / "XLA705/precision_of_a_gpu.py",
    "torch.amp.autocast_mode.autocast.__exit__": FIXTURES / CLEAN / "autocast_of_each_device.py",
    "_XLAC._run_cached_graph": FIXTURES / "XLA213/compiled_step_function.py",
    "torch_xla._internal.pjrt.spawn": FIXTURES / "XLA509/device_of_the_settings",
    "torch_xla.runtime.is_spmd": FIXTURES / "XLA806/launched_all_the_same.py",
    "torch_xla.runtime.world_size": FIXTURES / "XLA806/loss_of_all_replicas.py",
    "_XLAC._xla_get_replication_devices_count": FIXTURES / "XLA509/world_size_asked_before.py",
    "torch_xla.distributed.parallel_loader.MpDeviceLoader.__init__": (
        FIXTURES / "XLA802/few_steps_of_each_epoch.py"
    ),
    "torch_xla.distributed.parallel_loader.MpDeviceLoader.__iter__": (
        FIXTURES / "XLA802/few_steps_of_each_epoch.py"
    ),
    "torch.optim.optimizer.Optimizer.__init__": ITS_OWN_RULES,
    "torch.optim.optimizer.Optimizer.zero_grad": ITS_OWN_RULES,
    "torch.optim.optimizer._global_optimizer_pre_hooks": FIXTURES / "XLA701/model_moved_in_place.py",
}
"""For every hook, by the attribute that it replaces, a program that cannot do without it."""


@pytest.mark.parametrize("hook", NOTICED_BY)
def test_a_hook_that_is_left_out_is_noticed(hook: str, server: ForkServer) -> None:
    path = NOTICED_BY[hook]
    if path.is_relative_to(FIXTURES):
        program = read_program(path, None if path.parent.name == CLEAN else path.parent.name)
        one = job(program, program.replicas, program.code, program.devices)
        assert list(contradictions(program, _run(server, one, hook)))
    else:
        run = _run(server, Job(str(path), guarded=False), hook)
        assert run.raised is None, run.output
        assert list(contradictions_of_its_own_guard(path, run))


def test_every_hook_has_a_program_that_notices(server: ForkServer) -> None:
    (run,) = server.run([Job(str(PROGRAMS / "hooks_of_the_guard.py"), guarded=False)])
    assert sorted(run.output.split()) == sorted(NOTICED_BY), run.error


def _run(server: ForkServer, one: Job, without: str) -> Measurement:
    (run,) = server.run([replace(one, trained=False, without=without)])
    assert (run.error, run.aborted) == (None, None), run.output
    return run
