# select: XLA705
# refused: line 17 is for XLA, and this way for other devices
import torch
import torch_xla


def main(batches, use_amp=True, tpu=False):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        if use_amp and not tpu:
            with torch.cuda.amp.autocast():
                loss = model(batch.to(device)).mean()
        elif tpu:
            with torch_xla.step():
                loss = model(batch.to(device)).mean()
        else:
            loss = model(batch.to(device)).mean()
        loss.backward()
        optimizer.step()


main(torch.randn(4, 2, 8))
