# ruff: noqa
# mypy: ignore-errors
"""What the device holds is pickled as it is, and loads only where there is one; numbers and copies are not meant. The
guard does not see it: nothing of torch's own is called that could be watched."""

import pickle

import torch
import torch_xla


def main(path, history):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    torch_xla.sync()
    with open(path, "wb") as file:
        pickle.dump(model.state_dict(), file)  # expect: XLA601
        pickle.dump({"model": model.state_dict(), "epoch": 3}, file)  # expect: XLA601
        pickle.dump({name: value.cpu() for name, value in model.state_dict().items()}, file)
        pickle.dump(history, file)


if __name__ == "__main__":
    main("model.pkl", [1.0])
