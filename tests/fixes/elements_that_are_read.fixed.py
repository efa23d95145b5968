# select: XLA101, XLA102, XLA104, XLA201, XLA212
"""An element of what is computed here is taken in the step, or it would be a graph of its own. One of a list is
there already, and what a function returns may be one."""

import torch
import torch_xla


def parts_of(loss, outputs):
    return [loss, outputs.mean()]


def train(model, optimizer, batches, losses, top1):
    device = torch_xla.device()
    first = 0.0
    for inputs, targets in batches:
        inputs, targets = inputs.to(device), targets.to(device)
        with torch_xla.step():
            outputs = model(inputs)
            loss = torch.nn.functional.cross_entropy(outputs, targets)
            hits = outputs.argmax(1).eq(targets).sum(0, keepdim=True)
            parts = parts_of(loss, outputs)
            hits_0 = hits[0]
            batch_first = (outputs.argmax(1) == targets)[-1]

            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

        # measure and record
        losses.append(parts[0].item())
        top1.append(100 * float(hits_0) / len(inputs))
        first += batch_first.item()
    return first


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [(torch.randn(8, 4), torch.zeros(8, dtype=torch.long)) for _ in range(3)]
    return train(model, optimizer, batches, [], [])


main()
