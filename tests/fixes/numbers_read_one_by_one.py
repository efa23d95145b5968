# select: XLA104
import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def logged(batches):
    for batch in batches:
        output = model(batch.to(device))
        torch_xla.sync()
        low, high = output.min().item(), output.max().item()
        print((output.sum().item(), output.mean().item()))
        rows = [row.sum().item() for row in (output[0], output[1])]
        ends = torch.tensor([output[0].sum(), output[1].sum()], device=device)
        peaks = torch.tensor([output[0].mean(), output[1].mean()]).to(device)
        mixed = [float(output.norm()), output.std().item()]
        kept = torch.tensor([output.norm(), output.std()], dtype=torch.float64)
        print({"low": output.amin().item(), "high": output.amax().item()}, low, high)
        yield rows, ends, peaks, mixed, kept
