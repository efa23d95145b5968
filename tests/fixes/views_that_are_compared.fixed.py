# select: XLA706
import torch
import torch_xla

device = torch_xla.device()


def main():
    model = torch.nn.Linear(8, 16).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for pair in torch.randn(4, 2, 4, 8).to(device):
        with torch_xla.step():
            optimizer.zero_grad()
            # The model in lower precision, the rest as it is.
            with torch.autocast("xla", dtype=torch.bfloat16):
                one, other = model(pair[0]), model(pair[1])
                with torch.autocast("xla", enabled=False):
                    loss = (one.float() @ other.float().t()).square().mean()  # in full
            loss.backward()  # of both

            optimizer.step()


main()
