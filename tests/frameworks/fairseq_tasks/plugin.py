"""Tasks and criterions that derive from those of fairseq; the project says elsewhere that it runs on XLA."""

from fairseq.criterions import register_criterion
from fairseq.criterions.cross_entropy import CrossEntropyCriterion
from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion
from fairseq.tasks import register_task
from fairseq.tasks.language_modeling import LanguageModelingTask
from fairseq.tasks.translation import TranslationTask


@register_task("counting_translation")
class CountingTranslation(TranslationTask):
    def train_step(self, sample, model, criterion, optimizer, update_num, ignore_grad=False):
        loss, sample_size, logging_output = criterion(model, sample)
        optimizer.backward(loss)
        self.total += loss.item()  # expect: XLA102 likely
        if update_num > 1000:
            norms = [p.grad.norm().item() for p in model.parameters()]  # expect: XLA102 likely
            self.largest = max(norms)
        return loss, sample_size, logging_output


@register_task("logging_modeling")
class LoggingModeling(LanguageModelingTask):
    def train_step(self, *args, **kwargs):
        loss, sample_size, logging_output = super().train_step(*args, **kwargs)
        logging_output["double"] = 2 * loss.detach()  # quiet: it stays on the device
        return loss, sample_size, logging_output

    def valid_step(self, sample, model, criterion):
        output = model(**sample["net_input"])
        kept = output[output > 0]  # expect: XLA401 likely
        return kept.sum(), 1, {}


@register_criterion("clipped_smoothing")
class ClippedSmoothing(LabelSmoothedCrossEntropyCriterion):
    def forward(self, model, sample, reduce=True):
        loss, nll_loss = self.compute_loss(model, model(**sample["net_input"]), sample, reduce=reduce)
        if loss > 100:  # expect: XLA103 likely
            loss = loss / 10
        return loss, sample["ntokens"], {"loss": loss.data, "nll_loss": nll_loss.data}


@register_criterion("scaled_entropy")
class ScaledEntropy(CrossEntropyCriterion):
    def compute_loss(self, model, net_output, sample, reduce=True):
        loss, _ = super().compute_loss(model, net_output, sample, reduce=reduce)
        print(loss.item())  # expect: XLA102 likely
        return 2 * loss, loss


@register_criterion("good_entropy")
class GoodEntropy(CrossEntropyCriterion):
    def compute_loss(self, model, net_output, sample, reduce=True):
        loss, _ = super().compute_loss(model, net_output, sample, reduce=reduce)
        return 2 * loss, loss.detach()
