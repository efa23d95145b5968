"""`python -m xlalint`."""

import sys

# Python puts the working directory first. What is checked must never be imported, and a module
# there may well be called like one of ours or of the standard library.
if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]

from xlalint.cli import main

main()
