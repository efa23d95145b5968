# select: XLA603
# refused: line 23 cannot move past line 24: it may change `model`, which is used there
import os

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def main(index, folder):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.randn(4, 8, device=device)).square().mean().backward()
            xm.optimizer_step(optimizer)
    print("trained")
    if xr.global_ordinal() == 1:
        os.makedirs(folder, exist_ok=True)
        xm.save(model.state_dict(), os.path.join(folder, "model.bin"))
        model.to("cpu")


if __name__ == "__main__":
    torch_xla.launch(main, args=("models",))
