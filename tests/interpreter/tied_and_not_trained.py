"""A model whose weights came apart does no harm where it is made for evaluation, as a teacher is."""

import torch
import torch_xla


class Tagger(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embedding = torch.nn.Embedding(100, width)
        self.head = torch.nn.Linear(width, 100, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.embedding(tokens))


class Distiller:
    def __init__(self):
        self.device = torch_xla.device()
        self.teacher = Tagger(64).to(self.device).eval()
        self.student = Tagger(16).to(self.device)  # expect: XLA702
        self.optimizer = torch.optim.SGD(self.student.parameters(), lr=0.1)

    def step(self, tokens):
        with torch.no_grad():
            wanted = self.teacher(tokens)
        (self.student(tokens) - wanted).pow(2).mean().backward()
        self.optimizer.step()

    def run(self, batches):
        for tokens in batches:
            with torch_xla.step():
                self.step(tokens.to(self.device))


def set_before_it_moves(batches):
    device = torch_xla.device()
    teacher = Tagger(64)
    teacher.eval()
    teacher.to(device)
    student = torch.nn.Embedding(100, 100).to(device)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for tokens in batches:
        with torch_xla.step():
            (student(tokens.to(device)) - teacher(tokens.to(device))).pow(2).mean().backward()
            optimizer.step()


def evaluated_once_before(batches):
    device = torch_xla.device()
    model = Tagger(16).to(device)  # expect: XLA702
    model.eval()
    with torch.no_grad(), torch_xla.step():
        model(next(batches).to(device))
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for tokens in batches:
        with torch_xla.step():
            model(tokens.to(device)).sum().backward()
            optimizer.step()


Distiller().run(iter([]))
