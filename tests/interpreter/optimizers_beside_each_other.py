"""Two optimizers of one model each: that one sums its gradients over the replicas does nothing for the other's."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def models():
    device = torch_xla.device()
    return torch.nn.Linear(4, 4).to(device), torch.nn.Linear(4, 1).to(device), torch.ones(8, 4, device=device)


def one_of_two(index):
    body, head, x = models()
    first = torch.optim.AdamW(body.parameters(), lr=0.1)
    second = torch.optim.SGD(head.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            first.zero_grad()
            second.zero_grad()
            head(body(x)).sum().backward()
            xm.optimizer_step(first)
            second.step()  # expect: XLA506


def one_after_the_other(index):
    generator, critic, x = models()
    for_generator = torch.optim.Adam(generator.parameters(), lr=0.1)
    for_critic = torch.optim.Adam(critic.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            for_critic.zero_grad()
            critic(generator(x).detach()).mean().backward()
            xm.optimizer_step(for_critic)
            for_generator.zero_grad()
            critic(generator(x)).mean().backward()
            for_generator.step()  # expect: XLA506


def both(index):
    body, head, x = models()
    first = torch.optim.AdamW(body.parameters(), lr=0.1)
    second = torch.optim.SGD(head.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            first.zero_grad()
            second.zero_grad()
            head(body(x)).sum().backward()
            xm.optimizer_step(first)
            xm.optimizer_step(second)


def both_at_once(index):
    body, head, x = models()
    first = torch.optim.AdamW(body.parameters(), lr=0.1)
    second = torch.optim.SGD(head.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            first.zero_grad()
            second.zero_grad()
            head(body(x)).sum().backward()
            for optimizer in (first, second):
                xm.reduce_gradients(optimizer)
            first.step()
            second.step()


def summed_by_hand(index):
    body, head, x = models()
    first = torch.optim.AdamW(body.parameters(), lr=0.1)
    second = torch.optim.SGD(head.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            first.zero_grad()
            second.zero_grad()
            head(body(x)).sum().backward()
            for parameter in head.parameters():
                parameter.grad = xm.all_reduce("sum", parameter.grad, scale=1 / 2)
            xm.optimizer_step(first)
            second.step()


def one_way_or_the_other(index, several=True):
    body, head, x = models()
    first = torch.optim.AdamW(body.parameters(), lr=0.1)
    second = torch.optim.SGD(head.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            first.zero_grad()
            second.zero_grad()
            head(body(x)).sum().backward()
            if several:
                xm.optimizer_step(first)
                xm.optimizer_step(second)
            else:
                first.step()
                second.step()


def every_fifth_step(index):
    generator, critic, x = models()
    for_generator = torch.optim.Adam(generator.parameters(), lr=0.1)
    for_critic = torch.optim.Adam(critic.parameters(), lr=0.1)
    for step in range(100):
        with torch_xla.step():
            for_critic.zero_grad()
            critic(generator(x).detach()).mean().backward()
            for_critic.step()  # expect: XLA506
            if step % 5 == 0:
                for_generator.zero_grad()
                critic(generator(x)).mean().backward()
                xm.optimizer_step(for_generator)


def one_way_that_leaves(index, several=True):
    body, head, x = models()
    first = torch.optim.AdamW(body.parameters(), lr=0.1)
    second = torch.optim.SGD(head.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            first.zero_grad()
            second.zero_grad()
            head(body(x)).sum().backward()
            if several:
                xm.optimizer_step(first)
                continue
            second.step()


def one_that_is_the_other(index):
    body, head, x = models()
    first = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=0.1)
    stepped = first
    for _ in range(10):
        with torch_xla.step():
            first.zero_grad()
            head(body(x)).sum().backward()
            xm.reduce_gradients(stepped)
            first.step()


if __name__ == "__main__":
    torch_xla.launch(one_of_two)  # expect: XLA517 likely
    torch_xla.launch(one_after_the_other)  # expect: XLA517 likely
    torch_xla.launch(both)  # expect: XLA517 likely
    torch_xla.launch(both_at_once)  # expect: XLA517 likely
    torch_xla.launch(summed_by_hand)  # expect: XLA517 likely
    torch_xla.launch(one_way_or_the_other)  # expect: XLA517 likely
    torch_xla.launch(every_fifth_step)  # expect: XLA517 likely
    torch_xla.launch(one_way_that_leaves)  # expect: XLA517 likely
    torch_xla.launch(one_that_is_the_other)  # expect: XLA517 likely
