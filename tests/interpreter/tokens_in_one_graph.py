# ruff: noqa
# mypy: ignore-errors
"""Loops that write a text token by token: where nothing in them ends a step, all tokens are one graph."""

import torch
import torch_xla

device = torch_xla.device()


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(100, 8)
        self.head = torch.nn.Linear(8, 100)

    def forward(self, tokens):
        return self.head(self.embedding(tokens))

    @torch.no_grad()
    def generate(self, tokens, most, temperature=1.0):
        for _ in range(most):  # expect: XLA202
            scores = self(tokens[:, -16:])[:, -1, :] / temperature
            token = torch.multinomial(torch.softmax(scores, dim=-1), num_samples=1)
            tokens = torch.cat((tokens, token), dim=1)
        return tokens


model = Decoder().to(device).eval()


@torch.no_grad()
def by_a_window(tokens, most):
    for _ in range(most):  # expect: XLA202
        token = model(tokens)[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens[:, 1:], token], dim=1)
    return tokens


@torch.inference_mode()
def gathered(token, most=64):
    tokens = []
    for _ in range(most):  # expect: XLA202
        token = model(token)[:, -1].argmax(-1, keepdim=True)  # expect: XLA712
        tokens.append(token)
    return torch.cat(tokens, dim=1)


def until_it_is_long(tokens):
    with torch.no_grad():
        while tokens.shape[1] < 64:  # expect: XLA202
            token = torch.argmax(model(tokens)[:, -1], dim=-1, keepdim=True)
            tokens = torch.cat([tokens, token], dim=1)
    torch_xla.sync()
    return tokens


# Silent -----------------------------------------------------------------------------------------


@torch.no_grad()
def few(tokens):
    for _ in range(4):
        token = model(tokens)[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens[:, 1:], token], dim=1)
    return tokens


@torch.no_grad()
def in_steps(tokens, most):
    for _ in range(most):
        with torch_xla.step():
            token = model(tokens)[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat([tokens[:, 1:], token], dim=1)
    return tokens


@torch.no_grad()
def cut_after_each(tokens, most):
    for _ in range(most):
        token = model(tokens)[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens[:, 1:], token], dim=1)
        torch_xla.sync()  # expect: XLA201
    return tokens


@torch.no_grad()
def each_by_itself(prompts):
    found = []
    for prompt in prompts:
        found.append(model(prompt.to(device))[:, -1].argmax(-1))
    return torch.stack(found)


@torch.no_grad()
def states(state, most):
    for _ in range(most):
        state = model.head(torch.relu(state))[:, :8]
    return state


@torch_xla.compile
@torch.no_grad()
def compiled(tokens, most):
    for _ in range(most):
        token = model(tokens)[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens[:, 1:], token], dim=1)
    return tokens


class Writer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = Decoder()

    def forward(self, tokens, most):
        for _ in range(most):
            token = self.decoder(tokens)[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat([tokens[:, 1:], token], dim=1)
        return tokens


def main(prompts, most):
    tokens = torch.zeros(1, 16, dtype=torch.long, device=device)
    print(model.generate(tokens, most).tolist())
    print(by_a_window(tokens, most).tolist())
    print(gathered(tokens).tolist())
    print(until_it_is_long(tokens).tolist())
    print(few(tokens).tolist())
    print(in_steps(tokens, most).tolist())
    print(cut_after_each(tokens, most).tolist())
    print(each_by_itself(prompts).tolist())
    print(states(torch.zeros(1, 8, device=device), most).tolist())
    print(compiled(tokens, most).tolist())
    with torch.no_grad():
        print(Writer().to(device)(tokens, most).tolist())
