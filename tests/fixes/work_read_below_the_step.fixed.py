# select: XLA212
"""What a read below the step computes first is computed in the step, and the read stays where it is."""

import torch
import torch_xla


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(8, 3).to(device)
    total, best = 0.0, []
    for count in range(4):
        with torch_xla.step():
            out = model(torch.randn(4, 8).to(device))
            acc = out.argmax(1).float().sum(0, keepdim=True)
            batch_total = acc.abs()
            mean = out.mean()
            largest = out.max()
            smallest = out.min()
            # the end of the step
        # what is told of it
        total += batch_total.item()
        best.append((mean.item() * 2) + count)
        print(count, float(largest), smallest.item())
    print(total)


main()
