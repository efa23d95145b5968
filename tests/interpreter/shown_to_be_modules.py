# ruff: noqa
# mypy: ignore-errors
"""What is asked for its modules is a module, whichever device it was moved to: their names are texts, no tensors."""

import torch
import torch_xla


def moved(args, batches):
    device = torch_xla.device() if args.accelerated else torch.device("cpu")
    model = args.make().to(device)
    for name, module in model.named_modules():
        for other, parameter in module.named_parameters(recurse=False):
            shown = f"{name}.{other}" if name else other
    for batch in batches:
        loss = model(batch.to(device)).sum()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201

