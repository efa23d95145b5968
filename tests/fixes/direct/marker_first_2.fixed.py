"""A marker at the start of the body and one at its end: the first had nothing to run."""

for step, batch in enumerate(batches):
    with torch_xla.step():
        # forward
        loss = model(batch.to(device)).square().mean()
        loss.backward()
        optimizer.step()
    history.append(loss.item())
