"""A process that outlives main() must not keep the fork server waiting."""

import subprocess
import sys


def main() -> list[float]:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    return [1.0]


if __name__ == "__main__":
    main()
