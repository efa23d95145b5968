import torch
from batches import make_loader
from running.making import get_accelerator


def main():
    accelerator = get_accelerator(2)
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = make_loader()  # nobody knows what that is
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch["x"]).pow(2).mean()
            accelerator.backward(loss)
            print(loss.item())  # expect: XLA102 likely
            optimizer.step()
            optimizer.zero_grad()


main()
