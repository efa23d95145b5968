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
            # the end of the step
        # what is told of it
        total += acc.abs().item()
        best.append((out.mean() * 2).item() + count)
        print(count, float(out.max()), out.min().item())
    print(total)


main()
