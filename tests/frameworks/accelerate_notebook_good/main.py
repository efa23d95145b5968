"""A notebook that leaves the device to the processes that it starts, and asks for it below."""

import torch
import torch_xla
from accelerate import Accelerator, notebook_launcher


def train(dataset):
    accelerator = Accelerator()
    model = torch.nn.Linear(4, 4)
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.AdamW(model.parameters()), torch.utils.data.DataLoader(dataset)
    )
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    torch_xla.sync()


def main():
    notebook_launcher(train, (torch.randn(8, 4),), num_processes=8)
    print("evaluating on", Accelerator().device)


if __name__ == "__main__":
    main()
