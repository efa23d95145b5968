# select: XLA703
# refused: line 22 is for XLA, and this way for other devices
import torch
import torch_xla
import torch_xla.core.xla_model as xm


def main(batches, half=True, tpu=False):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler()
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch.to(device)).mean()
        if half:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        elif tpu:
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)


main(torch.randn(4, 2, 8))
