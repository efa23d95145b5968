# select: XLA702
import torch
import torch_xla


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(8, 4)
        self.head = torch.nn.Linear(4, 8, bias=False)
        self.tie_the_head()

    def tie_the_head(self):
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.embedding(tokens))


tokens = torch.tensor([1, 2]).to(torch_xla.device())
model = Tagger().to(torch_xla.device())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch_xla.step():
    model(tokens).sum().backward()
    optimizer.step()
