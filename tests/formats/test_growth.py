"""Reading takes time in proportion to the file: four times the file takes about four times as long, not sixteen.

Processor time of this process is compared, the best of several rounds, so that a busy machine does not matter. Linear
work gives a ratio of 4 and a little more (caches, sorting); quadratic work gives 16 once it dominates. The bound lies
between the two, and each size is large enough that the quadratic places that were found took more than half the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

import gearwright
from gearwright import LoadError

FACTOR = 4
MOST = 8.0  # the geometric mean of 4 and 16
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
SDF_MASS = "<inertial><mass>1</mass></inertial>"
TURN = "<axis><xyz>0 0 1</xyz></axis>"


def robot(inner: str) -> str:
    return f'<robot name="r">{inner}</robot>'


def model(inner: str) -> str:
    return f'<sdf version="1.11"><model name="m">{inner}</model></sdf>'


def each(n: int, text: str) -> str:
    """The text n times, `@` standing for the number."""
    return "".join(text.replace("@", str(i)) for i in range(n))


def star(n: int, inner: str = "") -> str:
    """A link with n others turning about it."""
    links = f'<link name="base">{MASS}</link>' + each(n, f'<link name="l@">{MASS}</link>')
    ends = '<parent link="base"/><child link="l@"/><axis xyz="0 0 1"/>'
    return links + each(n, f'<joint name="j@" type="continuous">{ends}{inner}</joint>')


def sdf_star(n: int) -> str:
    links = f'<link name="base">{SDF_MASS}</link>' + each(n, f'<link name="l@">{SDF_MASS}</link>')
    ends = "<parent>base</parent><child>l@</child>"
    return links + each(n, f'<joint name="j@" type="revolute">{ends}{TURN}</joint>')


SIMPLE = '<transmission name="t@" type="simple">{}<joint>j@</joint></transmission>'
GEARBOX = (
    '<joint name="g@" type="gearbox"><parent>l0</parent><child>l1</child><axis><xyz>1 0 0</xyz></axis>'
    "<axis2><xyz>1 0 0</xyz></axis2><gearbox_reference_body>base</gearbox_reference_body></joint>"
)
GEARED = (
    '<model name="m@"><link name="base"/><link name="l0"/><link name="l1"/>'
    f'<joint name="a" type="revolute"><parent>base</parent><child>l0</child>{TURN}</joint>'
    f'<joint name="b" type="revolute"><parent>base</parent><child>l1</child>{TURN}</joint>'
    + GEARBOX.replace("1 0 0", "0 0 1")
    + "</model>"
)
SAME = '<joint name="j@" type="revolute"><parent>base</parent><child>l0</child><axis><xyz>0 0 1</xyz></axis></joint>'
ROS2 = '<ros2_control name="s@" type="system"><joint name="j0"/><joint name="j@" mimic="false"/></ros2_control>'
TERM = '<term joint="k@"/>'
ALONE = f'<model name="m@"><link name="a">{SDF_MASS}</link></model>'

# what is repeated → a file of that, and how many of it
FILES: dict[str, tuple[Callable[[int], str], int]] = {
    "text between children": (lambda n: robot(each(n, "abcdefgh " * 12 + '<link name="l@"/>')), 4000),
    "text in one piece": (lambda n: robot('<link name="a"/>' + "abcdefgh\n" * n), 400_000),
    "links": (lambda n: robot(star(n)), 400),
    "unknown elements": (lambda n: robot('<link name="a"/>' + each(n, "<x@/>")), 4000),
    "gazebo settings": (lambda n: robot(f'<link name="a"/><gazebo>{each(n, "<a@>1</a@>")}</gazebo>'), 2000),
    "gazebo blocks": (
        lambda n: robot(
            star(n) + each(n, '<gazebo><joint name="k@" type="fixed"><parent>l0</parent><child>l@</child></joint></gazebo>')
        ),
        300,
    ),
    "plugins": (
        lambda n: model(
            sdf_star(2) + each(n, '<plugin name="p@" filename="a.so"><joint_array>j0</joint_array></plugin>')
        ),
        1000,
    ),
    "frames of nothing": (lambda n: model(sdf_star(1) + each(n, '<frame name="f@"><pose relative_to="x@"/></frame>')), 2500),
    "static models": (
        lambda n: model(sdf_star(1) + each(n, '<model name="m@"><static>true</static><link name="a"/></model>')),
        800,
    ),
    "gearboxes of nested models": (lambda n: model(each(n, GEARED)), 150),
    "gearboxes beside many joints": (
        lambda n: model('<link name="base"/><link name="l0"/><link name="l1"/>' + each(n, SAME) + each(n, GEARBOX)),
        400,
    ),
    "motors declared and referred to in turn": (
        lambda n: robot(
            star(n)
            + each(n, SIMPLE.format('<actuator name="m@"/>'))
            + each(n, '<transmission name="u@" type="linear_map"><actuator name="n@"/><actuator>x@</actuator><joint>j@</joint><joint>j0</joint></transmission>')
        ),
        300,
    ),
    "joints of types that do not exist": (
        lambda n: robot(
            f'<link name="base">{MASS}</link>'
            + each(n, '<joint name="j@" type="odd"><parent link="base"/><child link="base"/></joint>')
            + each(n, '<actuator name="m@"><joint>j@</joint></actuator>')
        ),
        1500,
    ),
    "ros2_control tags over mimics": (
        lambda n: robot(star(n, '<mimic joint="j0"/>').replace('<mimic joint="j0"/>', "", 1) + each(n, ROS2)),
        300,
    ),
    "couplings without end": (
        lambda n: robot(star(n + 1) + each(n, '<coupling name="c@"><term joint="j@">1e-300</term><term joint="k@">1e300</term></coupling>')),
        400,
    ),
    "followers of a sum": (
        lambda n: robot(
            star(2)
            + f'<coupling name="s"><term joint="s">1</term>{each(n, TERM)}</coupling>'
            + each(n, '<coupling name="c@"><term joint="f@"/><term joint="s"/></coupling>')
        ),
        500,
    ),
    "models of a world": (
        lambda n: f'<sdf version="1.11"><world name="w">{each(n, ALONE)}</world></sdf>',
        600,
    ),
    "comments with hyphens": (lambda n: robot('<link name="a"/>' + "<!-- a -- b -->\n" * n), 40_000),
    "comments without an end": (lambda n: robot('<link name="a"/><!-- -- -->' + "<!-- " * n), 100_000),
}  # fmt: skip


def seconds(text: str, rounds: int = 3) -> float:
    """Processor time of loading, the best of several."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        try:
            gearwright.loads(text, model="*" if "<world" in text else None)
        except LoadError:
            pass
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("what", FILES)
def test_time_grows_with_the_file(what: str) -> None:
    make, n = FILES[what]
    small, large = seconds(make(n)), seconds(make(FACTOR * n), 2)
    assert large < MOST * small, f"{small * 1e3:.1f} ms for {n}, {large * 1e3:.1f} ms for {FACTOR * n}"
