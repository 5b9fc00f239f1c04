"""Clients in processes of their own."""

import json
import subprocess
import sys
from pathlib import Path

CLIENTS = Path(__file__).parent / "clients"


def run_client(name, *arguments, timeout=40):
    """The JSON that a client prints last; what it says on stderr if it fails."""
    done = subprocess.run(
        [sys.executable, CLIENTS / f"{name}.py", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])
