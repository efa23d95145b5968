"""Modules that clip and step by hand, one of which is trained by what the user asks for."""

import lightning as L
import torch
import torch.nn.functional as F


class ByHand(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.encoder = torch.nn.Linear(3, 3)
        self.head = torch.nn.Linear(3, 3)

    def training_step(self, batch, batch_idx):
        first, second = self.optimizers()
        loss = F.cross_entropy(self.encoder(batch[0]), batch[1])
        first.zero_grad()
        self.manual_backward(loss)
        self.clip_gradients(first, gradient_clip_val=1.0)  # expect: XLA508
        first.step()

        loss = F.cross_entropy(self.head(batch[0]), batch[1])
        second.zero_grad()
        self.manual_backward(loss)
        if loss < 10:  # expect: XLA103
            second.step()  # expect: XLA503 likely


class Automatic(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(3, 3)

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.net(batch[0]), batch[1])
        print(loss.item())  # expect: XLA102
        return loss

    def validation_step(self, batch, batch_idx):
        # quiet: reduced once all batches are done
        self.log("loss", F.cross_entropy(self.net(batch[0]), batch[1]), sync_dist=True)

    def on_before_optimizer_step(self, optimizer):
        self.clip_gradients(optimizer, gradient_clip_val=1.0)  # quiet: the gradients are summed

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


class OnOne(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = torch.nn.Linear(3, 3)

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        loss = F.cross_entropy(self.net(batch[0]), batch[1])
        optimizer.zero_grad()
        self.manual_backward(loss)
        self.clip_gradients(optimizer, gradient_clip_val=1.0)  # quiet: nothing is summed
        optimizer.step()


class Unwrapped(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = torch.nn.Linear(3, 3)

    def training_step(self, batch, batch_idx):
        first, second = self.optimizers(use_pl_optimizer=False)
        loss = F.cross_entropy(self.net(batch[0]), batch[1])
        self.manual_backward(loss)
        first.step()  # expect: XLA506
        second.step()
        print(loss.item())  # expect: XLA102

    def configure_optimizers(self):
        parameters = self.net.parameters()
        return torch.optim.AdamW(parameters), torch.optim.SGD(parameters, lr=0.1)
