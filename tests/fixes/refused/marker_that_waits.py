# select: XLA201
# refused: waits for its graph, and a step does not
import time

import torch
import torch_xla


def times_of(model, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        model(torch.randn(8, 8, device="xla")).sum()
        torch_xla.sync(wait=True)
        times.append(time.perf_counter() - start)
    return times


print(times_of(torch.nn.Linear(8, 8).to("xla"), 5))
