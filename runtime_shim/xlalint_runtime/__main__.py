"""`python -m xlalint_runtime` is `xlalint run`."""

import os
import sys

if __name__ == "__main__":
    os.execv(sys.executable, [sys.executable, "-m", "xlalint", "run", *sys.argv[1:]])
