# select: XLA104
# refused: the test in the list may leave nothing over, and an empty list makes no stack
import torch
import torch_xla


def decode(model, words, blank=0):
    with torch.no_grad():
        best = model(words.to("xla")).argmax(-1)
    torch_xla.sync()
    return [int(each) for each in best if each != blank]


def main(batches):
    model = torch.nn.Linear(8, 3).to("xla")
    for words in batches:
        print(decode(model, words))
