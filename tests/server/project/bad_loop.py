import torch_xla.core.xla_model as xm


def train(loader, model, optimizer, loss_fn):
    device = xm.xla_device()
    model = model.to(device)
    for step, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        loss = loss_fn(model(data.to(device)), target.to(device))
        loss.backward()
        xm.optimizer_step(optimizer)
        if step % 10 == 0:
            print(step, loss.item())
