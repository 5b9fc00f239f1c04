"""`python -m gearwright`."""

from gearwright.cli import main

if __name__ == "__main__":
    main()
