# select: XLA207
import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)


def logged(batches):
    for step, batch in enumerate(batches):
        loss = model(batch.to(device)).sum()
        xm.add_step_closure(lambda: print(step, loss.item()))
        xm.add_step_closure(lambda value: print(step, value.item()), args=(loss,))
        xm.add_step_closure(
            lambda value, end="\n": print(step, value.item(), end=end),  # with an end
            args=(loss,),
        )
        xm.add_step_closure(lambda *values: print(step, *values), args=(loss,))

        def report():
            print(step)

        xm.add_step_closure(report)

        def describe(value, **options):
            print(step, value, options)

        xm.add_step_closure(describe, args=(loss,))
    torch_xla.sync()


logged([torch.randn(2, 4) for _ in range(2)])
