# select: XLA703
# refused: line 8 is for CUDA, where it would be missing
import torch
import torch_xla


def pick(name):
    return torch_xla.device() if name == "tpu" else torch.device("cuda")


def main(batches, name="tpu"):
    device = torch_xla.device() if name == "xla" else pick(name)
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler()
    for batch in batches:
        optimizer.zero_grad()
        scaler.scale(model(batch.to(device)).mean()).backward()
        scaler.step(optimizer)
        scaler.update()


main(torch.randn(4, 2, 8), "xla")
