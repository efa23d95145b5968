"""Tasks and the base that the framework knows them by."""


class FairseqTask:
    """The base of all tasks."""

    def train_step(self, sample, model, criterion, optimizer, update_num, ignore_grad=False):
        loss, size, numbers = criterion(model, sample)
        return loss, size, numbers


class Printing(FairseqTask):
    def train_step(self, sample, model, criterion, optimizer, update_num, ignore_grad=False):
        loss, size, numbers = super().train_step(sample, model, criterion, optimizer, update_num)
        print(loss.item())  # expect: XLA102 likely
        return loss, size, numbers

    def valid_step(self, sample, model, criterion):
        return criterion(model, sample)
