# select: XLA207
# refused: `report` is not made where it is added
"""The function is made once: a default would hold what the name meant then."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)


def logged(batches):
    step = -1

    def report():
        print(step)

    for step, batch in enumerate(batches):
        model(batch.to(device)).sum()
        xm.add_step_closure(report)
    torch_xla.sync()


logged([torch.randn(2, 4) for _ in range(2)])
