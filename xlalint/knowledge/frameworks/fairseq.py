"""fairseq on XLA: its trainer calls a criterion on the model and a batch, both on the device.

The batch is a mapping; its `net_input`, and what models give back, may have any form.
"""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class _Model(torch.nn.Module):
    def __init__(self):
        self.network = torch.nn.Linear(1, 1)

    def forward(self, *inputs, **net_input):
        return self.network(inputs)

    def get_normalized_probs(self, net_output, log_probs, sample=None):
        return self.network(net_output)

    def get_targets(self, sample, net_output):
        return sample["target"]


class FairseqCriterion(torch.nn.Module):
    def __init__(self, task=None):
        self.task = task
        self.padding_idx = 0


class LegacyFairseqCriterion(FairseqCriterion):
    pass


class CrossEntropyCriterion(FairseqCriterion):
    def forward(self, model, sample, reduce=True):
        loss, _ = self.compute_loss(model, model(**sample["net_input"]), sample, reduce=reduce)
        return loss, sample["ntokens"], {"loss": loss.data}

    def compute_loss(self, model, net_output, sample, reduce=True):
        scores = model.get_normalized_probs(net_output, log_probs=True)
        loss = torch.nn.functional.nll_loss(scores, model.get_targets(sample, net_output))
        return loss, loss


class LabelSmoothedCrossEntropyCriterion(CrossEntropyCriterion):
    pass


def harness(criterion: FairseqCriterion):
    model = _Model().to(torch_xla.device())
    for batch in pl.MpDeviceLoader(batches):
        sample = {name: batch for name in names}
        loss, sample_size, logging_output = criterion(model, sample)
        xm.mark_step()


class _Criterion(FairseqCriterion):
    def forward(self, model, sample, reduce=True):
        loss = model(sample=sample).mean()
        return loss, 1, {"loss": loss.data}


class _Optimizer:
    def backward(self, loss):
        loss.backward()


class FairseqTask:
    def train_step(self, sample, model, criterion, optimizer, update_num, ignore_grad=False):
        loss, sample_size, logging_output = criterion(model, sample)
        optimizer.backward(loss)
        return loss, sample_size, logging_output

    def valid_step(self, sample, model, criterion):
        return criterion(model, sample)


class LegacyFairseqTask(FairseqTask):
    pass


class TranslationTask(FairseqTask):
    pass


class LanguageModelingTask(FairseqTask):
    pass


class MaskedLMTask(FairseqTask):
    pass


class DenoisingTask(FairseqTask):
    pass


class SentencePredictionTask(FairseqTask):
    pass


class AudioPretrainingTask(FairseqTask):
    pass


class SpeechToTextTask(FairseqTask):
    pass


def harness_of_task(task: FairseqTask):
    model = _Model().to(torch_xla.device())
    criterion = _Criterion()
    for batch in pl.MpDeviceLoader(batches):
        sample = {name: batch for name in names}
        loss, sample_size, logging_output = task.train_step(sample, model, criterion, _Optimizer(), num_updates)
        xm.mark_step()
    for batch in pl.MpDeviceLoader(batches):
        sample = {name: batch for name in names}
        task.valid_step(sample, model, criterion)
        xm.mark_step()
