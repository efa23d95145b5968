"""Which device composer trains on is an argument of its trainer: nothing else says XLA."""

import torch
from composer import Trainer
from composer.models import ComposerModel
from torch.utils.data import DataLoader


class Model(ComposerModel):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 3)

    def forward(self, batch):
        return self.net(batch[0])

    def loss(self, outputs, batch):
        loss = outputs.square().mean()
        if torch.isnan(loss):  # expect: XLA103
            raise ValueError("no number")
        return loss


def train(loader):
    model = Model()
    trainer = Trainer(model=model, train_dataloader=loader, max_duration="2ep", device="tpu")
    trainer.fit()
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601
    torch.save(trainer.state.model.net.state_dict(), "net.pt")  # expect: XLA601


def train_on(dataset):
    loader = DataLoader(dataset, batch_size=8, shuffle=True)  # expect: XLA404 likely
    Trainer(model=Model(), train_dataloader=loader, max_duration="2ep", device="tpu").fit()
    Trainer(model=Model(), max_duration="2ep", device="tpu").fit(
        train_dataloader=DataLoader(dataset, batch_size=8, drop_last=True)
    )
