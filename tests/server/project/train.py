import torch
import torch_xla
from helper import log


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        with torch_xla.step():
            loss = model(torch.ones(2, 4, device=device)).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            log(loss)


main()
