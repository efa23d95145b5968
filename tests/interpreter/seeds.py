# ruff: noqa
# mypy: ignore-errors
"""Seeds of the host, and what is drawn on the device."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torchvision
from torch.nn import functional as F

device = torch_xla.device()


def drawn_by_a_factory():
    torch.manual_seed(1)  # expect: XLA707
    return torch.randn(4, device=device)


def drawn_in_place(x):
    torch.manual_seed(1)  # expect: XLA707
    noise = torch.zeros(4, device=device)
    return noise.normal_()


def drawn_like():
    torch.manual_seed(1)  # expect: XLA707
    return torch.rand_like(torch.zeros(4, device=device))


def drawn_by_a_generator():
    torch.manual_seed(1)
    return torch.randn(4, device=device, generator=torch.Generator())


def drawn_to_meet_the_others():
    torch.manual_seed(1)
    number = torch.rand([1], device=device)
    torch.distributed.all_reduce(number)
    torch_xla.sync()


def drawn_and_summed():
    torch.manual_seed(1)  # expect: XLA707
    number = torch.rand([1], device=device)
    torch.distributed.all_reduce(number)
    return number


def seeded_in_one_arm(seed, wanted):
    torch.manual_seed(seed)
    if wanted:
        xm.set_rng_state(seed)
    return torch.randn(4, device=device)


def seeded_by_somebody(seed):
    torch.manual_seed(seed)
    some_library.seed_everything(seed)
    return torch.randn(4, device=device)


def seeded_below_a_draw():
    torch.manual_seed(1)  # expect: XLA707
    torch.randn(4, device=device)
    torch_xla.manual_seed(1)
    torch.manual_seed(2)
    return torch.randn(4, device=device)


def draw():
    return torch.randn(4, device=device)


def drawn_in_a_call_below_a_cut():
    torch.manual_seed(1)  # expect: XLA707
    torch_xla.sync()
    return draw()


def seed_both(seed):
    torch.manual_seed(seed)
    torch_xla.manual_seed(seed)


def seeded_in_a_call():
    seed_both(1)
    return draw()


def train(model, x):
    loss = model(x).sum()
    loss.backward()


def without_dropout():
    torch.manual_seed(1)
    train(torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(p=0.0)).to(device), torch.ones(4).to(device))


def with_dropout():
    torch.manual_seed(1)  # expect: XLA707
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout()).to(device)
    x = torch.ones(4, 4, device=device)
    score = model(x)
    torch_xla.sync()
    train(model, x)


def never_trained():
    torch.manual_seed(1)
    return F.dropout(torch.ones(4, device=device))


def trained_where_it_pays(wanted):
    torch.manual_seed(1)  # expect: XLA707
    y = F.dropout(torch.ones(4, device=device))
    if wanted:
        y.sum().backward()


def dropped_on_the_host(model):
    torch.manual_seed(1)
    F.dropout(torch.ones(4)).to(device)
    F.dropout(torch.ones(4, device=device), training=False).sum().backward()


def seed_the_host(seed):
    torch.manual_seed(seed)  # expect: XLA707


def seeded_two_calls_above():
    seed_the_host(1)
    return draw()


def back(y):
    y.sum().backward()


def forward_and_backward_apart():
    torch.manual_seed(1)  # expect: XLA707
    y = F.dropout(torch.ones(4, device=device))
    torch_xla.sync()
    back(y)


def seed_and_draw():
    torch.manual_seed(1)
    return draw()


def device_seeded_long_before():
    torch_xla.manual_seed(1)
    torch.nn.Linear(4, 4).to(device)(torch.ones(4, 4, device=device))
    torch_xla.sync()
    return seed_and_draw()


def network_that_drops_blocks(x):
    torch.manual_seed(1)  # expect: XLA707
    model = torchvision.models.efficientnet_v2_s(weights=None).to(device)
    train(model, x.to(device))


def network_that_drops_nothing(x):
    torch.manual_seed(1)
    model = torchvision.models.resnet50(weights=None).to(device)
    train(model, x.to(device))


def network_that_only_answers(x):
    torch.manual_seed(1)
    model = torchvision.models.convnext_tiny(weights="DEFAULT").to(device).eval()
    return model(x.to(device))


def picked_one_by_one(weights):
    torch.manual_seed(1)  # expect: XLA707
    return torch.multinomial(weights.to(device), num_samples=1)


def picked_again_and_again(weights):
    torch.manual_seed(1)  # expect: XLA707
    return torch.softmax(torch.ones(4, device=device), -1).multinomial(3, replacement=True)


def picked_by_the_host(weights):
    torch.manual_seed(1)
    torch.multinomial(torch.ones(4, device=device), 3)
    return torch.multinomial(torch.ones(4), 1)


def drawn_by_a_policy(x):
    torch.manual_seed(1)  # expect: XLA707
    scores = torch.nn.Linear(4, 2).to(device)(x.to(device))
    return torch.distributions.Categorical(logits=scores).sample()


def drawn_around_a_mean(x):
    torch.manual_seed(1)  # expect: XLA707
    mean = torch.nn.Linear(4, 2).to(device)(x.to(device))
    return torch.distributions.Normal(mean, 1.0).rsample()


def the_likeliest(x, action):
    torch.manual_seed(1)
    scores = torch.nn.Linear(4, 2).to(device)(x.to(device))
    policy = torch.distributions.Categorical(logits=scores)
    return policy.log_prob(action), policy.probs.argmax(-1), policy.entropy()


def drawn_by_the_host(x):
    torch.manual_seed(1)
    rates = torch.nn.Linear(4, 2).to(device)(x.to(device)).exp()
    return torch.distributions.Gamma(rates, rates).sample()


def dropped_between_layers():
    torch.manual_seed(1)  # expect: XLA707
    train(torch.nn.GRU(4, 4, num_layers=2, dropout=0.1).to(device), torch.ones(2, 3, 4).to(device))


def dropped_between_no_layers():
    torch.manual_seed(1)
    train(torch.nn.LSTM(4, 4, dropout=0.1).to(device), torch.ones(2, 3, 4).to(device))


def attended_to_with_dropout():
    torch.manual_seed(1)  # expect: XLA707
    x = torch.ones(2, 3, 4).to(device)
    torch.nn.MultiheadAttention(4, 1, dropout=0.1).to(device)(x, x, x)[0].sum().backward()


def attended_to_without():
    torch.manual_seed(1)
    x = torch.ones(2, 3, 4).to(device)
    torch.nn.MultiheadAttention(4, 1).to(device)(x, x, x)[0].sum().backward()
