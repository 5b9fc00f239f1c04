"""Reading takes time in proportion to the file: four times the file takes about four times as long, not sixteen.

Processor time of this process is compared, the best of several rounds, so that a busy machine does not matter. Linear
work gives a ratio of 4 and a little more (caches, sorting); quadratic work gives 16 once it dominates. The bound lies
between the two; sizes are such that each quadratic place that was found took more than half of the larger file's time.
"""

from __future__ import annotations

import contextlib
import gc
import math
import re
import time

import pytest

import gearwright
from gearwright import LoadError

FACTOR = 4
MOST = 8.0  # the geometric mean of 4 and 16
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
TURN = "<axis><xyz>0 0 1</xyz></axis>"


def robot(inner: str) -> str:
    return f'<robot name="r">{inner}</robot>'


def model(inner: str) -> str:
    return f'<sdf version="1.11"><model name="m">{inner}</model></sdf>'


def repeated(template: str, n: int) -> str:
    """The template with what stands in `[[…]]` n times, `@` being the number."""
    return re.sub(
        r"\[\[(.*?)\]\]", lambda m: "".join(m[1].replace("@", str(i)) for i in range(n)), template, flags=re.DOTALL
    )


ENDS = '<parent link="base"/><child link="l@"/><axis xyz="0 0 1"/>'
LINKS = f'<link name="base">{MASS}</link>[[<link name="l@">{MASS}</link>]]'
STAR = f'{LINKS}[[<joint name="j@" type="continuous">{ENDS}</joint>]]'
FOLLOWING = (
    f'<link name="x">{MASS}</link><joint name="x" type="fixed"><parent link="base"/><child link="x"/></joint>'
    f'{LINKS}[[<joint name="j@" type="continuous">{ENDS}<mimic joint="k"/></joint>]]'
    f'<link name="k">{MASS}</link><joint name="k" type="continuous"><parent link="base"/><child link="k"/></joint>'
)
LOOP = '<gazebo><joint name="k@" type="fixed"><parent>l0</parent><child>l@</child></joint></gazebo>'
THREE = '<link name="base"/><link name="l0"/><link name="l1"/>'
HINGE = '<joint name="{}" type="revolute"><parent>base</parent><child>{}</child><axis><xyz>0 0 1</xyz></axis></joint>'
GEARBOX = (
    '<joint name="g@" type="gearbox"><parent>l0</parent><child>l1</child><axis><xyz>{0}</xyz></axis>'
    "<axis2><xyz>{0}</xyz></axis2><gearbox_reference_body>base</gearbox_reference_body></joint>"
)
GEARED = THREE + HINGE.format("a", "l0") + HINGE.format("b", "l1") + GEARBOX.format("0 0 1")
DECLARED = '<transmission name="t@" type="simple"><actuator name="m@"/><joint>j@</joint></transmission>'
REFERRED = (
    '<transmission name="u@" type="linear_map"><actuator name="n@"/><actuator>x@</actuator><joint>j@</joint>'
    "<joint>j0</joint></transmission>"
)
ODD = '<joint name="j@" type="odd"><parent link="base"/><child link="base"/></joint>'
ROS2 = '<ros2_control name="s@" type="system"><joint name="j0"/><joint name="j@" mimic="false"/></ros2_control>'
HUGE = '<coupling name="c@"><term joint="j@">1e-300</term><term joint="k@">1e300</term></coupling>'

# what there is many of → the file, and a number that makes it take some 50 ms
FILES: dict[str, tuple[str, int]] = {
    "text between children": (robot("[[" + "abcdefgh " * 12 + '<link name="l@"/>]]'), 3000),
    "text in one piece": (robot('<link name="a"/>[[abcdefgh\n]]'), 300_000),
    "links": (robot(STAR), 300),
    "unknown elements": (robot('<link name="a"/>[[<x@/>]]'), 4000),
    "unknown attributes": (robot('[[<link name="a@" x@="1"/>]]'), 2000),
    "gazebo settings": (robot('<link name="a"/><gazebo>[[<a@>1</a@>]]</gazebo>'), 3000),
    "gazebo blocks": (robot(f"{STAR}[[{LOOP}]]"), 150),
    "plugins": (model(f'{THREE}[[<plugin name="p@"><joint_array>j0</joint_array></plugin>]]'), 1500),
    "frames of nothing": (model(f'{THREE}[[<frame name="f@"><pose relative_to="x@"/></frame>]]'), 1500),
    "static models": (model('[[<model name="m@"><static>true</static><link name="a"/></model>]]'), 500),
    "gearboxes of nested models": (model(f'[[<model name="m@">{GEARED}</model>]]'), 60),
    "gearboxes beside many joints": (
        model(f"{THREE}[[{HINGE.format('j@', 'l0')}]][[{GEARBOX.format('1 0 0')}]]"),
        300,
    ),
    "motors declared and referred to in turn": (robot(f"{STAR}[[{DECLARED}{REFERRED}]]"), 150),
    "joints of no type": (
        robot(f'<link name="base"/>[[{ODD}]][[<actuator name="m@"><joint>j@</joint></actuator>]]'),
        800,
    ),
    "ros2_control tags over mimics": (robot(f"{FOLLOWING}[[{ROS2}]]"), 200),
    "couplings of huge numbers": (robot(f"{STAR}[[{HUGE}]]"), 300),
    "models of a world": (
        '<sdf version="1.11"><world name="w">[[<model name="m@"><link name="a"/></model>]]</world></sdf>',
        500,
    ),
    "models of one name": (
        '<sdf version="1.11"><world name="w">[[<model name="m"><link name="a"/></model>]]</world></sdf>',
        500,
    ),
    "comments with hyphens": (robot('<link name="a"/>[[<!-- a -- b -->\n]]'), 40_000),
    "comments without an end": (robot('<link name="a"/><!-- -- -->[[<!-- ]]'), 200_000),
}


def seconds(text: str, rounds: int) -> float:
    """Processor time of loading, the best of several; without the collector, whose rounds depend on what ran before."""
    best = float("inf")
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            start = time.process_time()
            with contextlib.suppress(LoadError):  # either: time is the point
                gearwright.loads(text, model="*" if "<world" in text else None)
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best


@pytest.mark.parametrize("what", FILES)
def test_time_grows_with_the_file(what: str) -> None:
    template, n = FILES[what]
    small, large = seconds(repeated(template, n), 3), math.inf
    for _ in range(3):  # once, unless something disturbed it
        large = min(large, seconds(repeated(template, FACTOR * n), 1))
        if large < MOST * small:
            break
    assert large < MOST * small, f"{small * 1e3:.1f} ms for {n}, {large * 1e3:.1f} ms for {FACTOR * n}"


def test_couplings_that_multiply_out_are_bounded() -> None:
    """n followers of a sum of n axes have n² terms between them: refused before they fill the memory."""
    many = f'<link name="s"/><joint name="s" type="continuous">{ENDS.replace("l@", "s")}</joint>'
    many += '<coupling name="s"><term joint="s"/>[[<term joint="j@"/>]]</coupling>'
    each = '[[<coupling name="c@"><term joint="f@"/><term joint="s"/></coupling>]]'
    followers = f'[[<link name="f@"/><joint name="f@" type="continuous">{ENDS.replace("l@", "f@")}</joint>]]'
    with pytest.raises(LoadError) as caught:
        gearwright.loads(robot(repeated(f"{STAR}{followers}{many}{each}", 500)))
    assert [d.code for d in caught.value.diagnostics if d.severity == "error"] == ["coupling-value"]
    assert "more than 200,000 terms" in str(caught.value)


def test_text_in_several_pieces_is_joined_once() -> None:
    """The parser hands text over in pieces: none is lost, and a number is not cut in two where one ends."""
    numbers = " ".join(str(i) for i in range(5000))
    text = robot(f'<link name="a"/><x>{numbers[:9000]}<y/>{numbers[9000:]}</x>')
    from gearwright.diagnostics import Report
    from gearwright.formats.xml.located_xml import parse

    root = parse(text.encode(), "x", Report())
    assert root is not None
    assert root.children[1].text == f"{numbers[:9000]} {numbers[9000:]}"
