# select: XLA101, XLA102, XLA201, XLA212
import torch
import torch_xla


def accuracies(outputs, targets):
    hits = outputs.argmax(1).eq(targets).float()
    return [hits.sum(0, keepdim=True), hits.mean(0, keepdim=True)]


def validate(model, batches, losses, top1):
    device = torch_xla.device()
    model = model.to(device).eval()
    with torch.no_grad():
        for inputs, targets in batches:
            inputs, targets = inputs.to(device), targets.to(device)
            outputs = model(inputs)
            loss = torch.nn.functional.cross_entropy(outputs, targets)
            total, _ = accuracies(outputs, targets)
            losses.update(loss.item(), len(inputs))
            top1.update(total[0].item(), len(inputs))
            # one graph for each batch
            torch_xla.sync()
