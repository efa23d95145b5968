"""The training loop, as it came over from CUDA."""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
from checkpoint import save_checkpoint
from metrics import Logger, correct


class Trainer:
    def __init__(self, model, optimizer, args):
        self.model = model
        self.optimizer = optimizer
        self.args = args
        self.logger = Logger(args.log_every)
        self.is_master = xm.is_master_ordinal(local=False)

    def train_step(self, images, labels):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model(images), labels)
        loss.backward()
        xm.optimizer_step(self.optimizer)
        return loss

    def train_epoch(self, loader, epoch):
        """One pass over the data. Returns whether the loss has come down to its target."""
        self.model.train()
        for step, (images, labels) in enumerate(loader):
            loss = self.train_step(images, labels)
            self.logger.log(epoch, step, loss)
            if self.is_master and step % self.args.save_every == 0:
                save_checkpoint(self.args.checkpoint, self.model, self.optimizer, epoch, step)
            if loss < self.args.target_loss:
                return True
        return False

    def profile(self, loader):
        """A few steps under the names that the profiler shows."""
        for images, labels in loader:
            with xp.Trace("train_step"):
                self.train_step(images, labels)
                xm.mark_step()

    @torch.no_grad()
    def evaluate(self, loader):
        """The share of pictures that are recognised."""
        self.model.eval()
        right = 0
        for images, labels in loader:
            with torch_xla.step():
                right += correct(self.model(images), labels)
        return right / (len(loader) * self.args.batch_size)

    def fit(self, train_loader, test_loader):
        if self.args.profile:
            self.profile(train_loader)
        for epoch in range(self.args.epochs):
            if self.train_epoch(train_loader, epoch):
                break
            print(f"epoch {epoch}: {self.evaluate(test_loader):.1%} right")
