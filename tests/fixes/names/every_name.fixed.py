"""All names that have a successor in the newest release."""

import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr
from torch_xla.runtime import global_device_count, world_size
from torch_xla.distributed.spmd import Mesh, mark_sharding
from torch_xla.distributed.spmd.xla_sharded_tensor import XLAShardedTensor


def places(model):
    print(torch_xla.device(), torch_xla.device(), torch_xla.device())
    print(xr.global_ordinal(), xr.local_ordinal(), xr.world_size())
    print(xr.global_ordinal(), xr.local_ordinal(), xr.world_size(), world_size())
    print(xr.device_type(), xr.process_index(), xr.process_count(), global_device_count())
    xr.set_device_type("CPU")
    xm.broadcast_master_param(model)
    print(xr.runtime_device_attributes("xla:0"), xr.global_runtime_device_attributes())
    step = torch_xla.compile(model)
    mark_sharding(model, Mesh([0], (1,)), (0,))
    xs.mark_sharding(model, xs.Mesh([0], (1,)), (0,))
    assert isinstance(model, XLAShardedTensor)
    torch_xla.sync()
    return step


if __name__ == "__main__":
    torch_xla.launch(places, args=(None,))
