# select: XLA201
# refused: `measure` on line 20 cuts the graph on line 10
import torch
import torch_xla
import torch_xla.core.xla_model as xm


def measure(size):
    def finish():
        torch_xla.sync()

    model = torch.nn.Linear(8, 8).to(torch_xla.device())
    model(torch.ones(size, 8, device=torch_xla.device())).square().mean().backward()
    return [True, size > 2, finish]


def main(results):
    for size in (1, 2, 4):
        print(size)
        passed = measure(size)
        if xm.is_master_ordinal():
            results.write(f"{size}, {passed[0]}, {all(passed)}\n")
            results.flush()
        xm.mark_step()


main(open("results.csv", "w"))
