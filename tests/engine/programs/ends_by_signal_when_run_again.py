import os
import signal

import torch


def main() -> list[float]:
    if "RUN_BEFORE" in os.environ:
        os.kill(os.getpid(), signal.SIGSEGV)
    os.environ["RUN_BEFORE"] = "1"
    return [float(torch.rand(()))]


if __name__ == "__main__":
    main()
