# select: XLA702
import torch
import torch_xla


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(8, 4)
        self.head = torch.nn.Linear(4, 8, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.embedding(tokens))


def moves_where_it_is_made(tokens, device):
    model = Tagger().to(device=device)
    model.head.weight = model.embedding.weight
    train(model, tokens)


def moves_in_place(tokens, device):
    tagger = Tagger()
    tagger.to(device)  # by itself
    tagger.head.weight = tagger.embedding.weight
    train(tagger, tokens)


def train(model, tokens):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(tokens).sum().backward()
        optimizer.step()


for run in (moves_where_it_is_made, moves_in_place):
    run(torch.tensor([1, 2]).to(torch_xla.device()), torch_xla.device())
