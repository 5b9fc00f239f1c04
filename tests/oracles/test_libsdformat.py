"""SDFormat files as a live libsdformat 12 reads them: poses, inertias, axes and limits, in the corpus and at random.

Needs Debian's libsdformat-dev and a C++ compiler; skipped where they are absent. The library knows SDFormat up to 1.9,
and refuses some files that load here; of the others every link and every axis is compared.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.poses import Pose
from tests.corpus.files import SDF, robot_files
from tests.corpus.refused import REFUSED
from tests.oracles.random_sdf import random_sdf

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).parent / "print_sdf.cc"
TOLERANCE = 3e-14  # [m, rad, kg, kg·m²], relative to the largest number; found: 5e-15
LEAST = 30  # files of the corpus that both read
HUGE = 1e16  # no limit


@dataclass
class Theirs:
    """What the library reads from a file."""

    refused: str = ""
    links: dict[str, list[float]] = field(default_factory=dict)
    axes: dict[tuple[str, int], list[float]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler, pkg_config = shutil.which("g++"), shutil.which("pkg-config")
    if compiler is None or pkg_config is None:
        pytest.skip("no C++ compiler, or no pkg-config")
    flags = subprocess.run(
        [pkg_config, "--cflags", "--libs", "sdformat12"], capture_output=True, text=True, check=False
    )
    if flags.returncode:
        pytest.skip("libsdformat 12 is not installed (Debian: libsdformat-dev)")
    built = tmp_path_factory.mktemp("libsdformat") / "print_sdf"
    subprocess.run([compiler, "-O0", "-o", str(built), str(SOURCE), *flags.stdout.split()], check=True)
    return built


def ask(program: Path, files: Sequence[Path]) -> dict[Path, Theirs]:
    done = subprocess.run([program, *files], capture_output=True, text=True, check=True, timeout=300)
    found: dict[Path, Theirs] = {}
    at = Theirs()
    for line in done.stdout.splitlines():
        kind, name, *rest = line.split("\t")
        if kind == "file":
            at = found[Path(name)] = Theirs()
        elif kind == "refused":
            at.refused = name
        elif kind == "link":
            at.links[name] = [float(x) for x in rest]
        elif kind == "axis":
            at.axes[name, int(rest[0])] = [float(x) for x in rest[1:]]
    return found


def close(ours: Sequence[float], theirs: Sequence[float], what: str) -> None:
    scale = max([1.0, *(abs(x) for x in theirs if abs(x) < HUGE)])
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * scale, err_msg=what)


def compare(robot: gw.Mechanism, theirs: Theirs) -> None:
    still = {str(c.follower): 0.0 for c in robot.couplings.values()}  # at zero, whatever the offsets of couplings say
    poses = robot.forward_kinematics(still)
    for name, (x, y, z, *rest) in theirs.links.items():
        close(poses[name].ravel().tolist(), Pose.from_quaternion((x, y, z), rest[:4]).matrix.ravel().tolist(), name)
        i = robot.links[name].inertia
        (xx, yy, zz), (xy, xz, yz) = np.diag(i.tensor).tolist(), i.tensor[np.triu_indices(3, 1)].tolist()
        close([i.mass, *i.center.tolist(), xx, yy, zz, xy, xz, yz], rest[4:], f"inertia of {name}")
    for (name, index), values in theirs.axes.items():
        joint = robot.joints.get(name)  # gearboxes are couplings here
        if joint is None or index >= len(joint.axes):
            continue
        axis, d = joint.axes[index], joint.axes[index].dynamics
        close(axis.xyz, values[:3], f"axis of {name}")
        limits = axis.limits
        bounds = [x if abs(x) < HUGE else inf * np.sign(x) for x in values[3:7]]
        if bounds[0] <= bounds[1]:  # inverted limits are none here
            close([limits.lower, limits.upper, limits.effort, limits.velocity], bounds, f"limits of {name}")
        close([d.damping, d.friction, d.spring_stiffness, d.spring_reference], values[7:], f"dynamics of {name}")


def test_the_corpus(program: Path) -> None:
    files = [f for f in robot_files(SDF) if f.name not in REFUSED]
    if len(files) < LEAST:
        pytest.skip("the corpus is not here")
    compared = 0
    found = ask(program, [f.path for f in files])
    for f in files:
        if not found[f.path].refused:
            compare(gw.load(f.path, model="*"), found[f.path])
            compared += bool(found[f.path].links)
    assert compared >= LEAST, {f.name: found[f.path].refused for f in files if found[f.path].refused}


def test_random_files(program: Path, tmp_path: Path, rng: np.random.Generator) -> None:
    texts = [t for t in (random_sdf(rng) for _ in range(600)) if not t.startswith(NEWER)]
    files = [tmp_path / f"{i}.sdf" for i in range(len(texts))]
    for path, text in zip(files, texts, strict=True):
        path.write_text(text)
    found = ask(program, files)
    read = [p for p in files if not found[p].refused]
    for path in read:
        compare(gw.load(path, model="*"), found[path])
    assert len(read) >= 0.9 * len(files), next(t.refused for t in found.values() if t.refused)


NEWER = tuple(f'<sdf version="1.{minor}"' for minor in (10, 11, 12))
