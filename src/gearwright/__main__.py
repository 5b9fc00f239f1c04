"""`python -m gearwright`."""

import os
import sys

# `python -m` puts the current folder first: a yaml.py beside a robot must not be imported for Python's own.
if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0] or ".") == os.path.realpath("."):
    del sys.path[0]

from gearwright.cli import main

if __name__ == "__main__":
    main()
