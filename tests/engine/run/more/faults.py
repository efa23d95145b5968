"""Reads in the middle of a step, and then ends, or goes on, in the way that its argument names."""

import os
import resource
import signal
import sys
import threading

import torch
import torch_xla
from torch.overrides import TorchFunctionMode, _len_torch_function_stack
from torch.utils.data import DataLoader, TensorDataset

how = sys.argv[1]


class Doubling(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        return result * 2 if func is torch.Tensor.square else result


def train(workers=0):
    torch.manual_seed(0)
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for (x,) in DataLoader(TensorDataset(torch.ones(24, 4)), batch_size=8, num_workers=workers):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(x.to(device)).square().mean()
            loss.backward()
            optimizer.step()
            value = loss.item()  # XLA101
    return value


if how == "function mode":
    with Doubling() as mode:
        with torch.device("cpu"):
            double = train()
    print("modes left:", _len_torch_function_stack())
    print("doubled:", double != train())
elif how == "thread":
    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
elif how == "workers":
    train(workers=1)
elif how == "hooks":
    shown, traced = [], []
    sys.excepthook = lambda kind, error, tb: (print("own hook:", kind.__name__), shown.append(kind))
    sys.settrace(lambda *_: traced.append(1) and None)
    train()
    sys.settrace(None)
    print("traced:", bool(traced))
    raise KeyError("shown by the program's own hook")
else:
    train()

sys.stdout.flush()
match how:
    case "raises":
        raise KeyError("lost")
    case "exits":
        sys.exit(3)
    case "exits at once":
        os._exit(4)
    case "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    case "aborts":
        os.abort()
    case "segmentation fault":
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGSEGV)
    case "forks":
        child = os.fork()
        if child == 0:
            on_the_host = torch.ones(2).sum().item()
            os._exit(int(on_the_host))
        print("child:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    case "changes directory":
        os.chdir("/")
    case "closes stderr":
        sys.stderr.close()
        os.close(2)
    case "no space":
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, resource.RLIM_INFINITY))
print("done")
