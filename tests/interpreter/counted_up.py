# ruff: noqa
# mypy: ignore-errors
"""Numbers that are counted up in each round of a loop, by a name, an attribute or the length of a list."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 8).to(device)
table = torch.randn(64, 8, device=device)
batches = [torch.randn(4, 8) for _ in range(8)]


def before_the_cut(steps):
    position = 0
    for _ in range(steps):
        y = model(table[position])  # expect: XLA402
        position += 1
        torch_xla.sync()  # expect: XLA201


def below_the_step(steps):
    position = 0
    while position < steps:
        with torch_xla.step():
            y = model(table[position])  # expect: XLA402
        position += 1


def by_the_size_of_a_batch():
    start = 0
    for batch in batches:
        with torch_xla.step():
            x = batch.to(device)
            y = model(x + table[start : start + x.shape[0]])  # expect: XLA402
        start += x.shape[0]


class Trainer:
    def __init__(self):
        self.steps = 0
        self.losses = []

    def fit(self):
        for batch in batches:
            with torch_xla.step():
                y = model(batch.to(device) + table[self.steps])  # expect: XLA402
            self.steps += 1

    def fit_one_by_one(self):
        for batch in batches:
            self.train(batch)

    def train(self, batch):
        with torch_xla.step():
            y = model(batch.to(device) + table[self.steps])  # expect: XLA402
        self.steps += 1

    def collect(self):
        for batch in batches:
            with torch_xla.step():
                weights = torch.zeros(len(self.losses) + 1, device=device)  # expect: XLA402
                loss = (model(batch.to(device)) * weights.sum()).mean()
            self.losses.append(loss.item())


def by_the_length_of_a_list(steps):
    tokens = []
    for _ in range(steps):
        with torch_xla.step():
            y = model(table[len(tokens)])  # expect: XLA402
        tokens.append(y)


def all_but_the_first(steps):
    for step in range(steps):
        with torch_xla.step():
            y = model(table[: step or 1])  # expect: XLA402
            z = table[: step if step else 1]  # expect: XLA402


def by_a_function(steps):
    position = 0
    for _ in range(steps):
        position = one_further(position)  # expect: XLA201


def one_further(position):
    model(table[position])  # expect: XLA402
    position += 1
    torch_xla.sync()
    return position


# What is the same in each step ------------------------------------------------------------------


def parts_of_one_graph(modules):
    for _ in range(8):
        offset = 0
        for module in modules:
            part = table.flatten()[offset : offset + 8]
            module(part)
            offset += 8
        torch_xla.sync()  # expect: XLA201


def counted_in_a_row():
    for _ in range(8):
        count = 0
        with torch_xla.step():
            model(table[count])
        count += 1
        with torch_xla.step():
            model(table[count])
        count += 1
        with torch_xla.step():
            model(table[count])


def after_all_batches():
    for _ in range(8):
        count = 0
        for batch in batches:
            with torch_xla.step():
                model(batch.to(device))
            count += 1
        with torch_xla.step():
            model(table[count])


def after_all_batches_of_a_function():
    for _ in range(8):
        count = 0
        for batch in batches:
            count = one_more(count, batch)
        with torch_xla.step():
            model(table[count])


def one_more(count, batch):
    with torch_xla.step():
        model(batch.to(device))
    count += 1
    return count


def made_anew():
    for _ in range(8):
        parts = []
        with torch_xla.step():
            parts.append(model(table))
        parts.append(table)
        with torch_xla.step():
            model(table[len(parts)])


def in_parts_of_eight(rows):
    waiting, made = [], []
    for row in rows:
        waiting.append(row)
        if len(waiting) == 8:
            with torch_xla.step():
                weights = torch.zeros(len(waiting), device=device)
                made.append(torch.stack(waiting).to(device) * weights.sum())
            waiting = []
    return made


def as_data():
    step = 0
    for batch in batches:
        with torch_xla.step():
            loss = model(batch.to(device)) * (1.0 + 0.1 * step)
        step += 1


def wrapped():
    bank, position = torch.zeros(65536, 8, device=device), 0
    for batch in batches:
        with torch_xla.step():
            bank[position : position + 4] = model(batch.to(device))  # expect: XLA402
            position = (position + 4) % 65536


def wrapped_soon():
    bank, position = torch.zeros(8, 8, device=device), 0
    for batch in batches:
        with torch_xla.step():
            bank[position : position + 4] = model(batch.to(device))
            position = (position + 4) % 8


def added_to_itself(steps):
    position = 0
    for _ in range(steps):
        with torch_xla.step():
            y = model(table[position])  # expect: XLA402
        position = position + 1


def written_by_an_index_of_the_device():
    bank = torch.zeros(65536, 8, device=device)
    position, rows = torch.zeros((), dtype=torch.long, device=device), torch.arange(4, device=device)
    for batch in batches:
        with torch_xla.step():
            bank.index_copy_(0, position + rows, model(batch.to(device)))
            position = (position + 4) % 65536


def main():
    before_the_cut(8)
    below_the_step(8)
    by_the_size_of_a_batch()
    trainer = Trainer()
    trainer.fit()
    trainer.fit_one_by_one()
    trainer.collect()
    by_the_length_of_a_list(8)
    all_but_the_first(8)
    by_a_function(8)
    parts_of_one_graph([model, model])
    counted_in_a_row()
    after_all_batches()
    after_all_batches_of_a_function()
    made_anew()
    in_parts_of_eight([torch.randn(8) for _ in range(64)])
    as_data()
    wrapped()
    wrapped_soon()
    added_to_itself(8)
    written_by_an_index_of_the_device()


main()


class Ring:
    """Its size is told by who makes it: whether it is soon full, nobody sees."""

    def __init__(self, size):
        self.rows = torch.zeros(size, 8, device=device)
        self.size, self.place, self.first, self.last, self.next, self.seen = size, 0, 0, 0, 0, 0

    def push_by_a_name(self, rows):
        end = self.place + 4
        self.rows[self.place : end] = rows  # expect: XLA402
        self.place = end % self.size

    def push_by_a_sum(self, row):
        following = self.first + 1
        self.rows[self.first] = row  # expect: XLA402
        self.first = following

    def push_as_an_integer(self, row):
        self.rows[self.last] = row  # expect: XLA402
        self.last = int((self.last + 1) % self.size)

    def push_until_the_end(self, row):
        self.rows[self.next] = row  # expect: XLA402
        self.next = 0 if self.next + 1 == self.size else self.next + 1

    def push_by_what_is_left(self, row):
        place = self.seen % self.size
        self.rows[place] = row  # expect: XLA402
        self.seen += 1


def into_a_ring(ring: Ring):
    for batch in batches:
        with torch_xla.step():
            made = model(batch.to(device))
            ring.push_by_a_name(made)
            ring.push_by_a_sum(made[0])
            ring.push_as_an_integer(made[0])
            ring.push_until_the_end(made[0])
            ring.push_by_what_is_left(made[0])
