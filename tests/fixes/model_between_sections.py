# select: XLA701
import torch
import torch_xla


def main(batches):
    # Model
    model = torch.nn.Linear(8, 1)

    # Optimizer
    optimizer = torch.optim.Adam(
        model.parameters(),
        lr=1e-3,
    )

    # Loss
    loss_fn = torch.nn.MSELoss()

    # Device
    model.to(torch_xla.device())

    # Train
    for x, y in batches:
        optimizer.zero_grad()
        loss_fn(model(x.to("xla")), y.to("xla")).backward()
        optimizer.step()
        torch_xla.sync()
