# ruff: noqa
# mypy: ignore-errors
"""Worlds that go on by one step, of which one ends the step of the device as well."""

import numpy as np

from device import end_step


def done_by(seen, often):
    return len(seen) > often


class Ending:
    def __init__(self, width: int):
        self.width = width
        self.seen = []

    def reset(self):
        return np.zeros(self.width)

    def go_on(self, action):
        end_step()
        chosen = int(np.argmax(action))
        self.seen.append(chosen)
        reward = float(chosen == 1)
        if chosen in self.seen[:-1]:
            reward -= 0.1
        if len(self.seen) == 1:
            reward += 0.1
        if self.width < 2:
            reward = 0.0
        if done_by(self.seen, 3):
            reward += 1.0
        done = len(self.seen) > 100
        where = np.zeros(self.width)
        where[chosen] = 1.0
        return where, reward, done


class Plain:
    def __init__(self, width: int):
        self.width = width
        self.seen = []

    def reset(self):
        return np.zeros(self.width)

    def go_on(self, action):
        chosen = int(np.argmax(action))
        self.seen.append(chosen)
        reward = float(chosen == 1)
        if chosen in self.seen[:-1]:
            reward -= 0.1
        if len(self.seen) == 1:
            reward += 0.1
        if self.width < 2:
            reward = 0.0
        if done_by(self.seen, 3):
            reward += 1.0
        done = len(self.seen) > 100
        where = np.zeros(self.width)
        where[chosen] = 1.0
        return where, reward, done
