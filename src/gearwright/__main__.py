"""`python -m gearwright`, and the command itself."""

import os
import sys

# `python -m` puts the current folder first: a yaml.py beside a robot must not be imported for Python's own.
if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0] or ".") == os.path.realpath("."):
    del sys.path[0]


def main() -> None:
    """Ends quietly after Ctrl-C, while modules are imported as well."""
    try:
        from gearwright.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell counts it, and as commands do


if __name__ == "__main__":
    main()
