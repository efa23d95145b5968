"""A notebook asks accelerate for its device before it starts the processes: these find the runtime taken."""

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
    print("running on", Accelerator().device)  # expect: XLA509
    notebook_launcher(train, (torch.randn(8, 4),), num_processes=8)


if __name__ == "__main__":
    main()
