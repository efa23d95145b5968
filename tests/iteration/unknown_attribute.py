# ruff: noqa
# mypy: ignore-errors
"""What is iterated is an attribute of which nothing is known: the same as a parameter."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(4, 4).to(torch_xla.device())
optimizer = torch.optim.SGD(model.parameters())


class Trainer:
    def __init__(self, loader):
        self.loader = loader

    def a_loop_that_steps_may_be_cut(self):
        for batch in self.loader:
            pass
            loss = model(batch.to(torch_xla.device())).sum()
            loss.backward()
            optimizer.step()

    def a_loop_that_infers_may_be_cut(self):
        scores = []
        for batch in self.loader:
            pass
            scores.append(model(batch.to(torch_xla.device())).sum())
        return scores

    def a_read_below_the_step(self):
        for batch in self.loader:
            pass
            loss = model(batch).sum()
            loss.backward()
            xm.optimizer_step(optimizer)
            print(loss.item())  # expect: XLA102 likely

    def a_read_of_the_batch(self):
        for batch in self.loader:
            pass
            model(batch).sum().backward()
            xm.optimizer_step(optimizer)
            print(batch.item())

    def a_read_below_a_marker(self):
        for batch in self.loader:
            pass
            loss = model(batch).sum()
            loss.backward()
            xm.optimizer_step(optimizer)
            torch_xla.sync()  # expect: XLA201
            print(loss.item())

    def an_exit_above_the_marker(self):
        for batch in self.loader:
            pass
            loss = model(batch).sum()
            loss.backward()
            optimizer.step()
            if done():
                break  # expect: XLA203
            torch_xla.sync()  # expect: XLA201
        model(torch.ones(4, 4, device=torch_xla.device()))

    def an_exit_that_leaves_nothing(self):
        for batch in self.loader:
            pass
            loss = model(batch).sum()
            loss.backward()
            optimizer.step()
            torch_xla.sync()  # expect: XLA201
            if done():
                break
        model(torch.ones(4, 4, device=torch_xla.device()))

    def a_step_for_each_batch(self):
        for batch in self.loader:
            pass
            with torch_xla.step():
                loss = model(batch.to(torch_xla.device())).sum()
                loss.backward()
                optimizer.step()
