# select: XLA102
# refused: only some replicas record the work on line 11
import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
sample = torch.randn(2, 4).to(device)
if xm.is_master_ordinal():
    output = model(sample)
    print(output.sum().item())
xm.rendezvous("predicted")
