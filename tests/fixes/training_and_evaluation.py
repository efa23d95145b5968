# select: XLA202, XLA102
import torch
import torch_xla


def train(model, optimizer, criterion, batches, held_out, epochs):
    history = []
    for _ in range(epochs):
        correct = 0
        for inputs, targets in batches:
            optimizer.zero_grad()
            output = model(inputs)
            loss = criterion(output, targets)
            correct += (output.argmax(1) == targets).sum()
            loss.backward()
            optimizer.step()
        history.append((loss.item(), correct.item()))
        with torch.no_grad():
            for inputs, targets in held_out:
                output = model(inputs)
        loss = criterion(output, targets)
        history.append(loss.item())
    return history


device = torch_xla.device()
model = torch.nn.Linear(4, 3).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [(torch.randn(2, 4).to(device), torch.zeros(2, dtype=torch.long).to(device)) for _ in range(3)]
print(train(model, optimizer, torch.nn.CrossEntropyLoss(), batches, batches, 2))
