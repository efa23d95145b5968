"""All names that have a successor in the newest release."""

import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.experimental.xla_sharding as xs
import torch_xla.runtime as xr
from torch_xla import experimental
from torch_xla.experimental import pjrt
from torch_xla.experimental.pjrt import global_device_count, world_size
from torch_xla.experimental.xla_sharding import Mesh, mark_sharding
from torch_xla.experimental.xla_sharded_tensor import XLAShardedTensor


def places(model):
    print(xm.xla_device(), xr.xla_device(), pjrt.xla_device())
    print(xm.get_ordinal(), xm.get_local_ordinal(), xm.xrt_world_size())
    print(pjrt.global_ordinal(), pjrt.local_ordinal(), pjrt.world_size(), world_size())
    print(pjrt.device_type(), pjrt.process_index(), pjrt.process_count(), global_device_count())
    pjrt.set_device_type("CPU")
    pjrt.broadcast_master_param(model)
    print(pjrt.device_attributes("xla:0"), pjrt.global_device_attributes())
    step = experimental.compile(model)
    mark_sharding(model, Mesh([0], (1,)), (0,))
    xs.mark_sharding(model, xs.Mesh([0], (1,)), (0,))
    assert isinstance(model, XLAShardedTensor)
    xm.mark_step()
    return step


if __name__ == "__main__":
    xmp.spawn(places, args=(None,))
