"""A decoder, in the shape of torch_xla's trainer of language models: a class whose step is a method."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, Dataset


class Fake(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return torch.arange(index, index + 12) % 50


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(50, 16)
        self.layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.head = torch.nn.Linear(16, 50)

    def forward(self, tokens, mask):  # zone: hidden
        hidden = self.embed(tokens)
        hidden = self.layer(hidden, src_mask=mask)
        return self.head(hidden)


class Trainer:
    def __init__(self):
        self.device = torch_xla.device()
        self.model = Decoder().to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-2)
        self.mask = torch.full((11, 11), float("-inf")).triu(1).to(self.device)
        self.loader = pl.MpDeviceLoader(DataLoader(Fake(), batch_size=4), self.device)

    def step_fn(self, tokens):  # zone: loss
        self.optimizer.zero_grad()
        logits = self.model(tokens[:, :-1], self.mask)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        self.run_optimizer()
        return loss

    def run_optimizer(self):
        self.optimizer.step()

    def train(self):
        self.model.train()
        for epoch in range(2):
            losses = []
            for tokens in self.loader:
                with torch_xla.step():
                    loss = self.step_fn(tokens)
                losses.append(loss)
            torch_xla.sync()
            print(epoch, torch.stack(losses).mean().item())


torch.manual_seed(0)
Trainer().train()
