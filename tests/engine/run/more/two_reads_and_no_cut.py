"""Nothing cuts, and each round reads two numbers of the same forward."""

import torch
import torch_xla


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(8, 4).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total = right = 0.0
    for _ in range(5):  # XLA202
        inputs, labels = torch.randn(4, 8).to("xla"), torch.randint(0, 4, (4,)).to("xla")
        optimizer.zero_grad()
        output = model(inputs)
        loss = torch.nn.functional.cross_entropy(output, labels)
        loss.backward()
        optimizer.step()
        total += loss.item()  # XLA102
        right += (output.argmax(1) == labels).sum().item()
    return [total, right]


main()
