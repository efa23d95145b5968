"""fairseq on XLA: its trainer calls a criterion on the model and a batch, both on the device.

The batch is a mapping; its `net_input`, and what models give back, may have any form.
"""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class _Model(torch.nn.Module):
    def forward(self, **net_input):
        return network(torch.ones(1, device=torch_xla.device()))

    def get_normalized_probs(self, net_output, log_probs, sample=None):
        return network(net_output)

    def get_targets(self, sample, net_output):
        return sample["target"]


class FairseqCriterion(torch.nn.Module):
    def __init__(self, task=None):
        self.task = task
        self.padding_idx = 0


def harness(criterion: FairseqCriterion):
    model = _Model().to(torch_xla.device())
    for batch in pl.MpDeviceLoader(batches):
        sample = {name: batch for name in names}
        loss, sample_size, logging_output = criterion(model, sample)
        xm.mark_step()
