"""Pages that are followed literally: files, commands and Python as printed there, and every output compared."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def follow(*pages, python=("-W", "error::UserWarning")):
    """Each page in a new folder and session. A warning that a reader would see ends it."""
    pytest.importorskip("matplotlib")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "Agg"}
    words = [sys.executable, *python, str(ROOT / "docs/session.py"), *(str(p) for p in pages)]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)


def test_the_tutorial_prints_what_it_says():
    done = follow(ROOT / "docs/tutorial.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_another_output_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("""```python title="half.py"
print(1 / 2)
```

```bash
python half.py
```

```text
0.5
```

```python
x = 1
```

```python
print(x)
```

```text
2
```
""")
    done = follow(page)
    assert done.returncode == 1
    assert "print(x)\nprints\n1\nbut the page says\n2\n" in done.stdout and "0.5" not in done.stdout
