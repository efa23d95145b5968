# select: XLA201
import pandas
import torch
import torch_xla
from pandas import Series


def weights(table):
    frame = pandas.DataFrame(table)
    return Series(frame["weight"]).tolist(), table.to_numpy().tolist()


def train(model, optimizer, table, batches):
    device = torch_xla.device()
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch.to(device), weights(table)).mean()
            loss.backward()
            optimizer.step()
