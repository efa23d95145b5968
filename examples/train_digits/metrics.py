"""What is counted and printed while training."""


class RunningMean:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def add(self, value):
        self.total += value.item()
        self.count += 1

    @property
    def mean(self):
        return self.total / max(1, self.count)


class Logger:
    """Prints the mean of the loss every few steps."""

    def __init__(self, every):
        self.every = every
        self.loss = RunningMean()

    def log(self, epoch, step, loss):
        self.loss.add(loss)
        if step % self.every == 0:
            print(f"epoch {epoch} step {step}: loss {self.loss.mean:.3f}")


def correct(logits, labels):
    """How many of a batch are right."""
    return (logits.argmax(dim=1) == labels).sum().item()
