"""Every diagnostic code with a minimal file that gives it: severity, line, message; and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import gearwright
from gearwright.diagnostics import CODES, Diagnostic, Report, Source
from gearwright.errors import CompileError, LoadError, ModelError

HERE = "<!--here-->"  # stands on the line that the diagnostic must name
TENSOR = '<inertia ixx="1" iyy="1" izz="1"/>'
MASS = f'<inertial><mass value="1"/>{TENSOR}</inertial>'
LINKS = f'<link name="base">{MASS}</link><link name="arm">{MASS}</link><link name="hand">{MASS}</link>'
TURN = '<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>'
BEND = '<parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/>'
JOINTS = f'<joint name="turn" type="continuous">{TURN}</joint>\n<joint name="bend" type="continuous">{BEND}</joint>'
SDF_TENSOR = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
SDF_MASS = f"<inertial><mass>1</mass>{SDF_TENSOR}</inertial>"
SDF_LINKS = "".join(f'<link name="{n}">{SDF_MASS}</link>' for n in ("base", "arm", "hand"))
AXIS = "<axis><xyz>0 0 1</xyz></axis>"
AXIS2 = "<axis2><xyz>0 0 1</xyz></axis2>"
SDF_TURN = f'<joint name="turn" type="revolute"><parent>base</parent><child>arm</child>{AXIS}</joint>'
SDF_BEND = f'<joint name="bend" type="revolute"><parent>base</parent><child>hand</child>{AXIS}</joint>'


def urdf(parts: str, *, joints: str = JOINTS, links: str = LINKS) -> str:
    return f'<robot name="r">\n{links}\n{joints}\n{parts}\n</robot>'


def sdf(parts: str, *, links: str = SDF_LINKS, joints: str = f"{SDF_TURN}{SDF_BEND}", version: str = "1.11") -> str:
    return f'<sdf version="{version}">\n<model name="m">\n{links}\n{joints}\n{parts}\n</model>\n</sdf>'


def mjcf(parts: str = "", *, actuator: str = "") -> str:
    body = '<body name="arm"><joint name="turn"/><geom size="0.1" pos="0.2 0 0"/></body>'
    return f"<mujoco><worldbody>{body}{parts}</worldbody><actuator>{actuator}</actuator></mujoco>"


def limited(lower: str, upper: str) -> str:
    limit = f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>'
    return JOINTS.replace('type="continuous"', 'type="revolute"', 1).replace(TURN, f"{TURN}{limit}{HERE}", 1)


def mimic(multiplier: str = "1", joint: str = "turn", limits: str = "", leader_limits: str = "") -> str:
    """Two joints, the second a follower on the marked line."""
    return (
        f'<joint name="turn" type="revolute">{TURN}{leader_limits or LIMIT}</joint>\n'
        f'<joint name="bend" type="revolute">{BEND}{limits or LIMIT}\n'
        f'<mimic joint="{joint}" multiplier="{multiplier}"/>{HERE}\n</joint>'
    )


LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
MIMIC = mimic()
MOTOR = '<actuator name="motor"/>'
SIMPLE = '<transmission name="drive" type="simple">{}</transmission>' + HERE


def axis_mimic(inner: str, follower: str = "bend", kind: str = "revolute") -> str:
    """SDFormat: a joint whose axis mimics, the mimic on the marked line."""
    return sdf(
        "",
        joints=f'{SDF_TURN}\n<joint name="{follower}" type="{kind}"><parent>base</parent><child>hand</child><axis>'
        f"<xyz>0 0 1</xyz>\n{inner}{HERE}\n</axis></joint>",
    )


def ros2(inner: str, joints: str = JOINTS) -> str:
    hardware = "<hardware><plugin>p</plugin></hardware>"
    return urdf(f'<ros2_control name="system" type="system">{hardware}\n{inner}\n</ros2_control>', joints=joints)


@dataclass(frozen=True)
class Row:
    code: str
    severity: str
    text: str
    fragment: str  # of the message
    also: frozenset[str] = frozenset()  # other codes that belong with it
    files: Mapping[str, str] = field(default_factory=dict)  # beside it; then it is loaded from a file as well
    suffix: str = ""  # of the file, where it matters
    options: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None  # where no comment can say it

    @property
    def expected_line(self) -> int:
        return self.line if self.line is not None else self.text[: self.text.index(HERE)].count("\n") + 1

    def __str__(self) -> str:
        return f"{self.code}: {self.fragment[:40]}"


def row(code: str, severity: str, text: str, fragment: str, *also: str, **more: Any) -> Row:
    return Row(code, severity, text, fragment, frozenset(also), **more)


CUSTOM = (
    f'{MOTOR}\n<transmission name="drive" type="custom_functions"><actuator>motor</actuator><joint>turn</joint>\n'
    '<mapping_plugin name="wrist" filename="{}"/>' + HERE + "</transmission>"
)
XACRO = (
    '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="p" value="{}"/>'
    '<link name="${{p}}"/></robot>'
)
INCLUDE = "\n<include><uri>{}</uri></include>" + HERE
PART = '<sdf version="1.11"><model name="part"><link name="p">' + SDF_MASS + "</link>{}</model></sdf>"

COMPLIANT = "<natural_frequency>10</natural_frequency><damping_ratio>1</damping_ratio>"


def parallelogram(multiplier: str, mode: str = "") -> str:
    """Two cranks and a rod; the far crank mimics the near one, which the loop makes it do already."""
    links = "".join(
        f'<link name="{n}"><pose>{pose} 0 0 0</pose>{SDF_MASS}</link>'
        for n, pose in (("base", "0 0 0"), ("crank", "0 0 0"), ("rod", "0 1 0"), ("other", "2 0 0"))
    )
    mimic = f'\n<mimic joint="near"><multiplier>{multiplier}</multiplier>{mode}</mimic>{HERE}'
    joints = (
        f'<joint name="near" type="revolute"><parent>base</parent><child>crank</child>{AXIS}</joint>'
        '<joint name="far" type="revolute"><parent>base</parent><child>other</child>'
        f"<axis><xyz>0 0 1</xyz>{mimic}</axis></joint>"
        f'<joint name="up" type="revolute"><parent>crank</parent><child>rod</child>{AXIS}</joint>'
        '<joint name="pin" type="revolute"><pose>0 1 0 0 0 0</pose>'
        f"<parent>rod</parent><child>other</child>{AXIS}</joint>"
    )
    return sdf("", links=links, joints=joints)


# a slider-crank of two bars of 1 m, whose slider an offset puts farther away than they reach
OPEN_LOOP = sdf(
    "",
    links="".join(
        f'<link name="{n}"><pose>{x} 0 0 0 0 0</pose>{SDF_MASS}</link>'
        for n, x in (("base", 0), ("arm", 0), ("crank", 0), ("rod", 1), ("slide", 2))
    ),
    joints=f'{SDF_TURN}<joint name="a" type="revolute"><parent>base</parent><child>crank</child>{AXIS}</joint>'
    f'<joint name="b" type="revolute"><parent>crank</parent><child>rod</child>{AXIS}</joint>'
    '<joint name="far" type="prismatic"><parent>base</parent><child>slide</child><axis><xyz>1 0 0</xyz>'
    '<mimic joint="turn"><multiplier>0</multiplier><offset>1</offset></mimic></axis></joint>'
    f'\n<joint name="pin" type="revolute">{HERE}<parent>rod</parent><child>slide</child>{AXIS}</joint>',
)
# two links on hinges, and a slider between them across the line through the hinges
RIGID_LOOP = sdf(
    f'\n<joint name="slider" type="prismatic">{HERE}<parent>arm</parent><child>hand</child>'
    "<axis><xyz>0 1 0</xyz></axis></joint>",
    links="".join(
        f'<link name="{n}"><pose>{x} 0 0 0 0 0</pose>{SDF_MASS}</link>'
        for n, x in (("base", 0), ("arm", 0), ("hand", 1))
    ),
)
PLAY = "<backlash><gap>0.1</gap><stiffness>1</stiffness></backlash>"
GEAR = (
    '<actuator name="m" type="electric_motor">{}</actuator>\n<transmission name="t" type="{}">'
    + HERE
    + "{}</transmission>"
)
ENDS = "<actuator>m</actuator><joint>turn</joint>"
BARS = "<ground>4</ground><input>1</input><coupler>4</coupler><output>3</output>"
ROCKER = BARS.replace("input", "swap").replace("output", "input").replace("swap", "output")  # turns the crank
BOUND = "<mapping><joint_effort_upper>1</joint_effort_upper></mapping>"
CURVE = "<stall_torque>1</stall_torque><no_load_speed>9</no_load_speed>"
BODY = "<rotor>body</rotor>"
STAGES = (
    '<stage type="belt"><driver_teeth>1</driver_teeth><driven_teeth>2</driven_teeth></stage>'
    f'<stage type="linear_map">{BOUND}</stage>'
)
NOT_SIMULABLE = (
    (
        '\n<actuator name="m"><rotor_inertia>1e300</rotor_inertia></actuator><transmission name="t" type="simple">'
        '<actuator>m</actuator><joint name="spin"><mechanical_reduction>1e40</mechanical_reduction></joint>'
        "</transmission>"
        f'<link name="l">{SDF_MASS}</link>'
        f'\n<joint name="spin" type="revolute">{HERE}<parent>arm</parent><child>l</child>{AXIS}</joint>',
        "beyond all numbers",
    ),
    (
        GEAR.format("", "simple", ENDS.replace("turn<", "turn<mechanical_reduction>1e200</mechanical_reduction><")),
        "transmission 't': an actuator turns 1e+200 times as far as a joint",
    ),
    (
        f'<link name="l">{SDF_MASS}</link>'
        f'\n<joint name="far" type="revolute">{HERE}<parent>arm</parent><child>l</child><axis><xyz>0 0 1</xyz>'
        '<mimic joint="turn"><multiplier>-1e200</multiplier></mimic></axis></joint>',
        "coupling 'far': far moves 1e+200 times as far as turn",
    ),
    (GEAR.format("<rotor_inertia>1</rotor_inertia>", "linear_map", ENDS + BOUND + PLAY), "backlash"),
    (GEAR.format(CURVE, "linear_map", ENDS + BOUND), "do not depend on the speed"),
    (GEAR.format("", "series", ENDS + STAGES), "in a series"),
    (f'\n<actuator name="m">{HERE}<joint>turn</joint>{BODY}</actuator>', "needs <rotor_inertia>"),
    (
        f'\n<actuator name="m">{HERE}{BODY}<rotor_inertia>1</rotor_inertia></actuator>'
        f'\n<transmission name="t" type="four_bar_linkage">{ENDS}{ROCKER}</transmission>',
        "constant ratios",
    ),
    (
        f'<link name="l">{SDF_MASS}</link>'
        f'\n<joint name="u" type="universal">{HERE}<parent>arm</parent><child>l</child>{AXIS}{AXIS2}</joint>',
        "parallel",
    ),
)
UNCONNECTED = f'<actuator name="m"/>\n<encoder name="e">{HERE}<actuator>m</actuator></encoder>'
STILL = (
    f'<link name="l">{SDF_MASS}</link><joint name="ball" type="ball"><parent>arm</parent><child>l</child></joint>'
    '<actuator name="m"/><transmission name="t" type="simple"><actuator>m</actuator><joint>ball</joint></transmission>'
    f'\n<encoder name="e">{HERE}<transmission>t</transmission></encoder>'
)
TWO_READINGS = (
    '<transmission name="d" type="differential">'
    '<actuator name="a" role="actuator1"/><actuator name="b" role="actuator2"/>'
    '<joint name="turn" role="joint1"/><joint name="bend" role="joint2"/></transmission>'
    '<encoder name="e"><transmission>d</transmission></encoder>'
    f'\n<encoder name="e.1">{HERE}<joint>turn</joint></encoder>'
)
NAMED_ROTOR = (
    '<joint name="j" type="fixed"><parent>arm</parent><child>m.rotor</child></joint>'
    f'\n<actuator name="m">{HERE}<joint>turn</joint><rotor_inertia>1</rotor_inertia>{BODY}</actuator>'
)
POINT = "<inertial><mass>1</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>"
ON_AXIS = (
    f'<link name="base">{SDF_MASS}</link><link name="arm">{SDF_MASS}</link>\n<link name="hand">{HERE}{POINT}</link>'
)

TABLE = [
    # the text
    row("xml-malformed", "error", '<robot name="r">\n<link name="a">\n</robot>', "mismatch", line=3),
    row("xml-malformed", "error", '<?xml version="1.0" encoding="rot13"?><robot name="r"/>', "'rot13'", line=1),
    row(
        "xml-lenient",
        "warning",
        f'<robot name="r">\n<link name="a"><gazebo:x/></link>{HERE}</robot>',
        "'gazebo'",
        "element-ignored",
    ),
    row(
        "xml-lenient",
        "warning",
        '<!-- c -->\n<?xml version="1.0"?>\n<robot name="r"><link name="a"/></robot>',
        "not at the start",
        line=2,
    ),
    row("xml-lenient", "warning", '<?xml version="0.0"?><robot name="r"><link name="a"/></robot>', "0.0", line=1),
    row("xml-unsafe", "error", '<!-- a -->\n<!DOCTYPE robot>\n<robot name="r"><link name="a"/></robot>', "DTD", line=2),
    row("format-unknown", "error", f'\n<drake name="m"/>{HERE}', "<drake>"),
    row(
        "version-unknown",
        "warning",
        f'<sdf version="2.7">{HERE}<model name="m"><link name="a">{SDF_MASS}</link></model></sdf>',
        "2.7",
    ),
    row(
        "version-unknown",
        "warning",
        f'<sdf version="new">{HERE}<model name="m"><link name="a">{SDF_MASS}</link></model></sdf>',
        "'new'",
    ),
    row(
        "version-unknown",
        "warning",
        f'<sdf>{HERE}<model name="m"><link name="a">{SDF_MASS}</link></model></sdf>',
        "no version",
    ),
    row("model-choice", "error", f'<sdf version="1.11">{HERE}</sdf>', "no model"),
    row(
        "model-choice",
        "error",
        f'<sdf version="1.11">{HERE}<model name="arm"/><model name="leg"/></sdf>',
        "model='arm'",
    ),
    row(
        "model-choice",
        "error",
        f'<sdf version="1.11">{HERE}<model name="gripper"/></sdf>',
        "did you mean 'gripper'",
        options={"model": "griper"},
    ),
    row("include-not-found", "error", sdf(INCLUDE.format("nothing.sdf")), "'nothing.sdf'", files={"x": ""}),
    row("include-not-found", "error", sdf(INCLUDE.format("https://x.invalid/y")), "network", files={"x": ""}),
    row("include-not-found", "error", sdf(INCLUDE.format("model://nothing")), "--path", files={"x": ""}),
    row(
        "include-cycle",
        "error",
        sdf(INCLUDE.format("a.sdf")),
        "too deeply",
        files={"a.sdf": PART.format("<include><uri>a.sdf</uri></include>")},
        line=1,
    ),
    row("include-unsafe", "error", sdf(INCLUDE.format("../out.sdf")), "leaves", files={"../out.sdf": PART.format("")}),
    row("xacro-failed", "error", XACRO.format("${1/0}"), "division by zero", line=1),
    row("xacro-failed", "error", XACRO.format("${().__class__}"), "'__class__'", files={"x": ""}, line=1),
    row("xacro-limit", "error", XACRO.format("${9**9**9}"), "16384 bits", line=1),
    row("xacro-refused", "error", XACRO.format("$(env HOME)"), "--xacro-env HOME", line=1),
    row("xacro-argument", "warning", XACRO.format("a"), "'q'", line=0, options={"xacro_args": {"q": 1}}),
    row(
        "xacro-argument",
        "info",
        '<robot name="r"><link name="a"/></robot>',
        "no effect",
        line=1,
        options={"xacro_args": {"q": 1}},
    ),
    row("xacro-message", "warning", XACRO.format("${xacro.warning('careful')}a"), "careful", line=1),
    row(
        "xacro-message",
        "info",
        XACRO.replace('"p"', '"pi"').replace("{{p}}", "{{pi}}").format("a"),
        "'pi' hides",
        line=1,
    ),
    row("package-not-found", "warning", XACRO.format("$(find nowhere)"), "'nowhere'", line=1),
    # structure
    row("name-duplicate", "error", f'<robot name="r">\n<link name="a"/>\n<link name="a"/>{HERE}</robot>', "line 2"),
    row("name-duplicate", "error", sdf(f'\n<frame name="arm"/>{HERE}'), "'arm'"),
    row("name-missing", "error", f'<robot name="r"><link name="a"/>\n<link/>{HERE}</robot>', "a link without a name"),
    row("name-missing", "warning", f'<robot>{HERE}<link name="a"/></robot>', "no name"),
    row(
        "name-missing",
        "error",
        f'<sdf version="1.11"><model name="m"><link name="a"/>\n<link/>{HERE}</model></sdf>',
        "a link without",
        "inertia-missing",
    ),
    row("name-reserved", "error", sdf(f'\n<link name="world"/>{HERE}'), "'world'"),
    row("name-reserved", "error", sdf(f'\n<frame name="__x__"/>{HERE}'), "'__x__'"),
    row(
        "link-not-found",
        "error",
        urdf(
            "",
            joints=(
                f'<joint name="turn" type="continuous">{HERE}<parent link="base"/><child link="amr"/>'
                '<axis xyz="0 0 1"/></joint>'
            ),
            links=LINKS,
        ),
        "did you mean 'arm'",
    ),
    row(
        "link-not-found",
        "error",
        sdf(
            "",
            joints=f'\n<joint name="turn" type="revolute">{HERE}<parent>bas</parent><child>arm</child>{AXIS}</joint>',
        ),
        "did you mean 'base'",
    ),
    row("link-not-found", "error", f'<robot name="r">{HERE}</robot>', "no links"),
    row(
        "joint-not-found",
        "error",
        urdf(f'<actuator name="motor">{HERE}<joint>trun</joint></actuator>'),
        "did you mean 'turn'",
    ),
    row("joint-not-found", "error", urdf(""), "did you mean 'turn'", options={"cut": ["trun"]}, line=0),
    row(
        "joint-world-child",
        "error",
        sdf(f'\n<joint name="j" type="fixed">{HERE}<parent>base</parent><child>world</child></joint>'),
        "the world cannot be a child",
    ),
    row(
        "joint-self",
        "error",
        sdf(f'\n<joint name="j" type="fixed">{HERE}<parent>arm</parent><child>arm</child></joint>'),
        "itself",
    ),
    row(
        "frame-cycle",
        "error",
        sdf(f'\n<frame name="f"><pose relative_to="g"/></frame>{HERE}<frame name="g"><pose relative_to="f"/></frame>'),
        "f → g → f",
    ),
    row(
        "frame-not-found",
        "error",
        sdf(f'\n<frame name="f"><pose relative_to="amr"/></frame>{HERE}'),
        "did you mean 'arm'",
    ),
    row(
        "element-missing", "error", urdf(f'<joint name="j" type="fixed">{HERE}<child link="arm"/></joint>'), "no parent"
    ),
    # values
    row(
        "joint-type-unknown",
        "error",
        urdf(f'<joint name="j" type="revolut">{HERE}{TURN}</joint>', joints=""),
        "'revolut'",
    ),
    row(
        "joint-type-unknown",
        "error",
        sdf(f'\n<joint name="j" type="revolut">{HERE}<parent>base</parent><child>arm</child></joint>', joints=""),
        "did you mean 'revolute'",
    ),
    row(
        "axis-missing",
        "info",
        urdf(
            "",
            joints=(
                f'<joint name="j" type="continuous">{HERE}<parent link="base"/><child link="arm"/>'
                f'</joint><joint name="bend" type="continuous">{BEND}</joint>'
            ),
        ),
        "1 0 0",
    ),
    row(
        "axis-missing",
        "warning",
        sdf(f'\n<joint name="j" type="revolute">{HERE}<parent>base</parent><child>arm</child></joint>', joints=""),
        "0 0 1",
    ),
    row(
        "axis-zero",
        "error",
        urdf(
            "",
            joints=(
                '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/>\n<axis '
                f'xyz="0 0 0"/>{HERE}</joint>'
            ),
        ),
        "length zero",
    ),
    row(
        "dynamics-invalid",
        "error",
        urdf(
            "",
            joints=(
                '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>\n'
                f'<dynamics damping="-0.1"/>{HERE}</joint>'
            ),
        ),
        "damping cannot be negative",
    ),
    *(
        row(
            "dynamics-invalid",
            "error",
            sdf(
                "", joints=SDF_BEND + SDF_TURN.replace("</axis>", f"\n<limit><{stop}>-1</{stop}></limit>{HERE}</axis>")
            ),
            f"a stop's {stop} cannot be negative",
        )
        for stop in ("stiffness", "dissipation")
    ),
    row(
        "axis-not-unit",
        "info",
        urdf(
            "",
            joints=(
                '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/>\n<axis '
                f'xyz="0 0 2"/>{HERE}</joint><joint name="bend" type="continuous">{BEND}</joint>'
            ),
        ),
        "length 2",
    ),
    row(
        "limit-inverted",
        "warning",
        urdf(
            "",
            joints=(
                f'<joint name="j" type="revolute">{TURN}\n<limit lower="1" upper="-1" effort="1" '
                f'velocity="1"/>{HERE}</joint><joint name="bend" type="continuous">{BEND}</joint>'
            ),
        ),
        "lower limit 1",
    ),
    row(
        "limit-missing",
        "warning",
        urdf(
            "",
            joints=(
                f'\n<joint name="j" type="revolute">{HERE}{TURN}</joint><joint name="bend" '
                f'type="continuous">{BEND}</joint>'
            ),
        ),
        "no <limit>",
    ),
    row(
        "limit-missing",
        "warning",
        urdf(
            "",
            joints=(
                f'<joint name="j" type="prismatic">{TURN}\n<limit lower="0" upper="1"/>{HERE}</joint>'
                f'<joint name="bend" type="continuous">{BEND}</joint>'
            ),
        ),
        "no effort and no velocity",
    ),
    row(
        "inertia-invalid",
        "error",
        f'<robot name="r"><link name="a">\n<inertial>{HERE}<mass value="-1"/>{TENSOR}</inertial></link></robot>',
        "negative",
    ),
    row(
        "inertia-invalid",
        "warning",
        (
            f'<robot name="r">\n<link name="a">{HERE}<inertial><mass value="1"/><inertia ixx="1" '
            'iyy="1" izz="9"/></inertial></link></robot>'
        ),
        "exceeds",
        "implausible",
    ),
    row("inertia-missing", "info", sdf('\n<link name="x"/>' + HERE), "1 kg"),
    row(
        "inertia-missing",
        "warning",
        (
            f'<robot name="r"><link name="a">{MASS}</link>\n<link name="b"/>{HERE}\n<joint name="j" '
            'type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
        ),
        "moves no mass",
    ),
    row(
        "inertia-auto",
        "warning",
        sdf(f'<link name="x">\n<inertial auto="true">{HERE}<mass>1</mass>{SDF_TENSOR}</inertial></link>'),
        "it has no <collision>; the given values are used",
    ),
    row(
        "surface-value",
        "warning",
        sdf(
            f'<link name="x">{SDF_MASS}<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry>'
            f"<surface><bounce><restitution_coefficient>2</restitution_coefficient></bounce></surface>{HERE}</collision>"
            "</link>"
        ),
        "restitution",
    ),
    row(
        "number-invalid",
        "error",
        f'<robot name="r"><link name="a"><inertial>{TENSOR}\n<mass value="1,5"/>{HERE}</inertial></link></robot>',
        "'1,5'",
    ),
    row(
        "number-invalid",
        "error",
        sdf(f'<link name="x"><inertial>{SDF_TENSOR}\n<mass>nan</mass>{HERE}</inertial></link>'),
        "'nan'",
    ),
    row("number-invalid", "error", sdf(f"\n<static>maybe</static>{HERE}"), "'maybe'"),
    row(
        "number-invalid",
        "error",
        urdf(
            "",
            joints=(
                '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/>\n<axis '
                f'xyz="0 1"/>{HERE}</joint>'
            ),
        ),
        "three numbers",
    ),
    row("pose-invalid", "error", sdf(f'<frame name="f">\n<pose>0 0 0</pose>{HERE}</frame>'), "roll pitch yaw"),
    row(
        "pose-invalid",
        "error",
        sdf(f'<frame name="f">\n<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose>{HERE}</frame>'),
        "quaternion",
    ),
    row(
        "pose-invalid",
        "warning",
        (
            f'<robot name="r"><link name="a"><visual>\n<origin quat_wxyz="0 0 0 0"/>{HERE}<geometry>'
            '<box size="1 1 1"/></geometry></visual></link></robot>'
        ),
        "quat_wxyz",
    ),
    # couplings
    row("mimic-self", "error", urdf("", joints=mimic(joint="bend")), "'bend' cannot mimic itself"),
    row("mimic-axis-name", "error", axis_mimic('<mimic joint="turn" axis="axis3"/>'), "did you mean 'axis"),
    row("mimic-leader-not-found", "error", urdf("", joints=mimic(joint="trun")), "did you mean 'turn'"),
    row("mimic-leader-not-found", "error", axis_mimic("<mimic/>"), "names no joint"),
    row("mimic-axis-missing", "error", axis_mimic('<mimic joint="turn" axis="axis2"/>'), "has no axis2"),
    row(
        "mimic-leader-fixed",
        "error",
        urdf(
            "",
            joints=(
                f'<joint name="turn" type="fixed">{TURN}</joint>\n<joint name="bend" '
                f'type="continuous">{BEND}\n<mimic joint="turn"/>{HERE}</joint>'
            ),
        ),
        "'turn' is fixed",
    ),
    row(
        "mimic-cycle",
        "error",
        urdf(
            "",
            joints=(
                f'<joint name="turn" type="continuous">{TURN}\n<mimic joint="bend"/>{HERE}</joint>'
                f'<joint name="bend" type="continuous">{BEND}\n<mimic joint="turn"/></joint>'
            ),
        ),
        "turn follows bend follows turn",
    ),
    row("mimic-zero", "warning", urdf("", joints=mimic("0")), "multiplier of 0"),
    row("implausible", "info", urdf("", joints=limited("-90", "90")), "look like degrees"),
    row("implausible", "info", urdf("", joints=limited("0.5", "0.5")), "cannot move"),
    row(
        "implausible",
        "info",
        urdf("", joints=limited("0", "250").replace("revolute", "prismatic")),
        "0 and 250 m look like millimetres",
    ),
    row(
        "implausible",
        "info",
        urdf("", links=HERE + LINKS.replace('ixx="1" iyy="1" izz="1"', 'ixx="50" iyy="50" izz="50"', 1)),
        "radius of gyration of 7.07 m",
    ),
    row(
        "implausible",
        "info",
        urdf("", links=HERE + LINKS.replace('ixx="1" iyy="1" izz="1"', 'ixx="5e-9" iyy="5e-9" izz="5e-9"', 1)),
        "denser than any material",
    ),
    row(
        "implausible",
        "info",
        urdf("", joints=JOINTS.replace(TURN, f'{TURN}<origin xyz="0 350 0"/>{HERE}', 1)),
        "350 m from its parent's",
    ),
    row(
        "mimic-follower-fixed",
        "warning",
        urdf(
            "",
            joints=(
                f'<joint name="turn" type="continuous">{TURN}</joint><joint name="bend" '
                f'type="fixed">{BEND}\n<mimic joint="turn"/>{HERE}</joint>'
            ),
        ),
        "dropped",
    ),
    row(
        "mimic-limits-conflict",
        "error",
        urdf("", joints=mimic(limits='<limit lower="2" upper="3" effort="1" velocity="1"/>')),
        "[2, 3]",
    ),
    row("mimic-limits-tighten", "warning", urdf("", joints=mimic("-2")), "to [-0.5, 0.5]"),
    row(
        "mimic-limits-tighten",
        "info",
        urdf(
            "",
            joints=(
                f'<joint name="turn" type="continuous">{TURN}</joint><joint name="bend" '
                f'type="revolute">{BEND}{LIMIT}\n<mimic joint="turn" multiplier="2"/>{HERE}</joint>'
            ),
        ),
        "to [-0.5, 0.5]",
    ),
    row(
        "mimic-duplicate",
        "warning",
        urdf(
            f'<coupling name="c"><term joint="bend"/><term joint="turn"/></coupling>{HERE}',
            joints=mimic().replace(HERE, ""),
        ),
        "hard",
        "mimic-contradiction",
    ),
    row(
        "mimic-contradiction",
        "warning",
        urdf(
            f'<coupling name="c"><term joint="bend"/><term joint="turn"/></coupling>{HERE}',
            joints=mimic().replace(HERE, ""),
        ),
        "lock bend, turn",
        "mimic-duplicate",
    ),
    row("coupling-value", "error", urdf(f'\n<coupling name="c"><term joint="bend"/></coupling>{HERE}'), "two terms"),
    row(
        "coupling-value", "error", axis_mimic('<mimic joint="turn"><mode>compliant</mode></mimic>'), "natural_frequency"
    ),
    row(
        "coupling-value", "error", axis_mimic('<mimic joint="turn"><mode>exakt</mode></mimic>'), "did you mean 'exact'"
    ),
    # older spellings
    row(
        "gearbox-deprecated",
        "warning",
        sdf(
            f'\n<joint name="g" type="gearbox">{HERE}<parent>arm</parent>'
            f"<child>hand</child>{AXIS}{AXIS2}<gearbox_ratio>3</gearbox_ratio>"
            "<gearbox_reference_body>base</gearbox_reference_body></joint>"
        ),
        "bend = -3·turn",
    ),
    row(
        "gearbox-unresolved",
        "error",
        sdf(
            f'\n<joint name="g" type="gearbox">{HERE}<parent>arm</parent>'
            f"<child>hand</child>{AXIS}{AXIS2}<gearbox_reference_body>bas</gearbox_reference_body>"
            "</joint>"
        ),
        "did you mean 'base'",
    ),
    row(
        "gearbox-unresolved",
        "error",
        sdf(
            f'\n<joint name="g" type="gearbox">{HERE}<parent>arm</parent><child>hand</child><axis>'
            f"<xyz>1 0 0</xyz></axis>{AXIS2}<gearbox_reference_body>base</gearbox_reference_body>"
            "</joint>"
        ),
        "about its axis",
    ),
    row(
        "mimic-joint-deprecated",
        "warning",
        sdf(
            f'\n<joint name="g" type="mimic">{HERE}<parent>turn</parent><child>bend</child>'
            "<gearbox_ratio>3</gearbox_ratio></joint>"
        ),
        "'bend'",
    ),
    # transmissions
    row(
        "transmission-type-unknown",
        "warning",
        urdf(
            f'{MOTOR}\n<transmission name="drive" type="simpel">{HERE}<actuator>motor</actuator>'
            "<joint>turn</joint></transmission>"
        ),
        "did you mean 'simple'",
    ),
    row(
        "transmission-ratio-zero",
        "error",
        urdf(
            '<transmission name="drive"><type>transmission_interface/SimpleTransmission</type>'
            '<joint name="turn"/>\n<actuator '
            f'name="motor">{HERE}<mechanicalReduction>0</mechanicalReduction></actuator>'
            "</transmission>"
        ),
        "'motor' is zero",
    ),
    row(
        "transmission-size", "error", urdf(f"{MOTOR}\n{SIMPLE.format('<actuator>motor</actuator>')}"), "1 joint, not 0"
    ),
    row(
        "transmission-size",
        "error",
        urdf(
            f'{MOTOR}\n<transmission name="drive" type="linear_map">'
            "<actuator_array>motor</actuator_array><joint_array>turn</joint_array>"
            f"<mapping>\n<t_aj>1 2</t_aj>{HERE}</mapping></transmission>"
        ),
        "takes 1 numbers",
    ),
    row(
        "transmission-role",
        "error",
        urdf(
            f'\n<transmission name="d" type="differential">{HERE}<actuator name="m" '
            'role="actuator1"/><actuator name="n" role="actuator1"/><joint name="turn" '
            'role="joint1"/><joint name="bend" role="joint2"/></transmission>'
        ),
        "actuator2",
    ),
    row(
        "transmission-actuator-not-found",
        "error",
        urdf(f"{MOTOR}\n{SIMPLE.format('<actuator>mottor</actuator><joint>turn</joint>')}"),
        "did you mean 'motor'",
    ),
    row(
        "transmission-joint-not-found",
        "warning",
        urdf(f"{MOTOR}\n{SIMPLE.format('<actuator>motor</actuator><joint>trun</joint>')}"),
        "did you mean 'turn'?; it is left out",
    ),
    row(
        "transmission-joint-not-found",
        "error",
        urdf(f"{MOTOR}\n{SIMPLE.format('<actuator>motor</actuator><joint>trun</joint>')}"),
        "did you mean 'turn'",
        options={"strict": True},
    ),
    row(
        "transmission-repeats",
        "warning",
        urdf(
            f"{MOTOR}\n{HERE}<transmission name='t' type='differential'><actuator role='actuator1'>motor</actuator>"
            "<actuator role='actuator2'>motor</actuator><joint role='joint1'>turn</joint>"
            "<joint role='joint2'>bend</joint></transmission>"
        ),
        "actuator 'motor' is named twice; it is left out",
    ),
    row(
        "transmission-joint-fixed",
        "warning",
        urdf(
            f"{MOTOR}\n{SIMPLE.format('<actuator>motor</actuator><joint>weld</joint>')}",
            links=f'{LINKS}<link name="x"/>',
            joints=f'{JOINTS}<joint name="weld" type="fixed"><parent link="hand"/><child link="x"/></joint>',
        ),
        "moves nothing",
    ),
    row(
        "plugin-untrusted",
        "error",
        urdf(CUSTOM.format("wrist.py")),
        "plugins='trust'",
        files={"wrist.py": "def position(q): return q\n"},
    ),
    row(
        "plugin-not-found",
        "error",
        urdf(CUSTOM.format("wrist.py")),
        "no file 'wrist.py'",
        files={"x": ""},
        options={"plugins": "trust"},
    ),
    row(
        "plugin-not-found",
        "error",
        urdf(CUSTOM.format("wrist.py")),
        "ZeroDivisionError",
        files={"wrist.py": "1/0\n"},
        options={"plugins": "trust"},
    ),
    row(
        "plugin-not-found",
        "error",
        urdf(CUSTOM.format("wrist.py")),
        "position(q)",
        files={"wrist.py": "x = 1\n"},
        options={"plugins": "trust"},
    ),
    row("plugin-not-found", "error", urdf(CUSTOM.replace(' filename="{}"', "")), "'wrist'"),
    row("plugin-not-found", "warning", urdf(CUSTOM.format("libwrist.so")), "libwrist.so"),
    # devices
    row(
        "actuator-type-unknown",
        "warning",
        urdf(f'\n<actuator name="m" type="electric_moter"/>{HERE}'),
        "did you mean 'electric_motor'",
    ),
    row(
        "device-protocol-unknown",
        "error",
        urdf(f'\n<actuator name="m"><device protocol="steam"/>{HERE}</actuator>'),
        "there is no protocol 'steam'",
    ),
    row(
        "device-value",
        "error",
        urdf(f'\n<actuator name="m"><device protocol="feetech" node="x"/>{HERE}</actuator>'),
        "a whole number, not 'x'",
    ),
    row(
        "actuator-value",
        "error",
        urdf(f'\n<actuator name="m">{HERE}<damping>-1</damping></actuator>'),
        "damping cannot be negative",
    ),
    row(
        "actuator-value",
        "error",
        urdf(f'\n<actuator name="m">{HERE}<stall_torque>1</stall_torque></actuator>'),
        "must be given together",
    ),
    row(
        "actuator-value",
        "error",
        urdf(f'\n<actuator name="m" type="dc_motor">{HERE}<resistance>1</resistance></actuator>'),
        "<torque_constant>",
    ),
    row(
        "encoder-target-not-found",
        "error",
        urdf(f'{MOTOR}\n<encoder name="e">{HERE}<actuator>mottor</actuator></encoder>'),
        "did you mean 'motor'",
    ),
    row("encoder-target-not-found", "error", urdf(f'\n<encoder name="e"/>{HERE}'), "names no transmission"),
    row(
        "encoder-value",
        "error",
        urdf(f'\n<encoder name="e">{HERE}<joint>turn</joint><resolution>0</resolution></encoder>'),
        "resolution must be positive",
    ),
    row(
        "encoder-value",
        "error",
        urdf(f'\n<encoder name="e" type="torque">{HERE}<joint>turn</joint></encoder>'),
        "'torque'",
    ),
    # ros2_control
    row(
        "ros2-mimic-command-interface",
        "error",
        ros2(
            f'<joint name="turn"/>\n<joint name="bend">{HERE}<command_interface name="position"/></joint>',
            MIMIC.replace(HERE, ""),
        ),
        'mimic="false"',
    ),
    row("ros2-mimic-not-in-urdf", "error", ros2(f'<joint name="turn" mimic="true"/>{HERE}'), "mimics nothing"),
    row("ros2-mimic-leader-missing", "error", ros2(f'<joint name="bend"/>{HERE}', MIMIC.replace(HERE, "")), "'turn'"),
    row("ros2-joint-not-found", "error", ros2(f'<joint name="trun"/>{HERE}'), "did you mean 'turn'"),
    row(
        "ros2-joint-fixed",
        "error",
        ros2(
            f'<joint name="weld"/>{HERE}',
            f'<joint name="weld" type="fixed">{TURN}</joint><joint name="bend" type="continuous">{BEND}</joint>',
        ),
        "fixed",
    ),
    # topology and the rest
    row(
        "loop-closed",
        "info",
        sdf(f'\n<joint name="close" type="revolute">{HERE}<parent>arm</parent><child>hand</child>{AXIS}</joint>'),
        "'close'",
    ),
    row("loop-rigid", "warning", RIGID_LOOP, "'slider'", "loop-closed"),
    row("loop-open", "warning", OPEN_LOOP, "'pin'", "loop-closed", "mimic-zero"),
    row("coupling-implied", "info", parallelogram("1"), "'far'", "loop-closed"),
    row("coupling-contradicted", "warning", parallelogram("0.9"), "0.0", "loop-closed"),
    row("coupling-contradicted", "warning", parallelogram("0.9", COMPLIANT), "pulls at", "loop-closed"),
    *(row("not-simulable", "warning", sdf(text), words, "transmission-start") for text, words in NOT_SIMULABLE),
    row("self-locking", "warning", sdf(GEAR.format("", "simple", "<efficiency>0.4</efficiency>" + ENDS)), "0.4"),
    row("transmission-start", "warning", sdf(GEAR.format("", "four_bar_linkage", ENDS + BARS)), "at the start"),
    row("not-simulable", "warning", sdf(UNCONNECTED), "not connected"),
    row("not-simulable", "warning", sdf(STILL), "cannot move", "transmission-joint-fixed"),
    row("not-simulable", "warning", sdf(TWO_READINGS), "'e.1'"),
    row(
        "not-simulable",
        "warning",
        sdf(NAMED_ROTOR, links=f'{SDF_LINKS}<link name="m.rotor">{SDF_MASS}</link>'),
        "'m.rotor'",
    ),
    row(
        "encoder-value",
        "warning",
        sdf(f'\n<encoder name="e"><joint>turn</joint><update_rate>1e-6</update_rate></encoder>{HERE}'),
        "16777216",
    ),
    row("inertia-missing", "warning", sdf("", links=ON_AXIS), "moves no mass"),
    row("closure-value", "error", urdf(""), "'leg'", options={"closures": [{"leg": 1}]}, line=0),
    row("root-multiple", "error", f'<robot name="r">{HERE}<link name="a"/><link name="b"/></robot>', "'a', 'b'"),
    row("usd-malformed", "error", '#usda 1.0\ndef Xform "a"\n{\n    float x = }\n', "a value is expected", line=4),
    row("element-refused", "error", mjcf(f"\n<flexcomp/>{HERE}"), "<flexcomp>"),
    row("element-refused", "warning", mjcf(actuator=f'\n<muscle joint="turn"/>{HERE}'), "<muscle>"),
    row("element-ignored", "info", mjcf(f"\n<light/>{HERE}"), "<light>"),
    row("element-ignored", "info", sdf(f'\n<plugin name="p" filename="x.so"/>{HERE}'), "<plugin>"),
    row("element-ignored", "info", urdf(f'<gazebo reference="arm">{HERE}<material>G</material></gazebo>'), "material"),
    row("element-unknown", "warning", urdf(f"\n<transmision/>{HERE}"), "did you mean 'transmission'"),
    row(
        "element-unknown", "warning", f'<robot name="r">\n<link name="a" nam="b"/>{HERE}</robot>', "did you mean 'name'"
    ),
    row(
        "element-unknown",
        "warning",
        f'<robot name="r"><link name="a">{MASS}\n{MASS}{HERE}</link></robot>',
        "a second <inertial>",
    ),
]

ELSEWHERE = {
    "file-unreadable",
    "diagnostics-many",
    "not-simulated",
    "redundant-rows",
    "base-falls",
    "contact-shape",
    "kind-shadowed",
    "mesh-missing",
    "model-error",
    "internal-error",
    "saved-code",
}  # have a test of their own, below, in tests/sim/test_saving.py or tests/formats/test_mesh_files.py


def told(row: Row, folder: Path) -> tuple[Diagnostic, ...]:
    """All diagnostics of a row's file."""
    try:
        if not row.files and not row.suffix:
            return gearwright.loads(row.text, **row.options).diagnostics
        here = folder / "robot"
        here.mkdir()
        for name, text in row.files.items():
            (here / name).write_text(text)
        path = here / ("robot" + (row.suffix or (".sdf" if "<sdf" in row.text else ".urdf")))
        path.write_text(row.text)
        return gearwright.load(path, **row.options).diagnostics
    except LoadError as error:
        return error.diagnostics


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_code(row: Row, tmp_path: Path) -> None:
    diagnostics = told(row, tmp_path)
    found = [d for d in diagnostics if d.code == row.code and row.fragment in d.message]
    shown = "\n".join(map(str, diagnostics)) or "nothing was told"
    assert found, shown
    assert found[0].severity == row.severity, shown
    if row.code != "include-cycle":  # told of the file that closes the circle
        assert found[0].line == row.expected_line, shown
    assert {d.code for d in diagnostics} <= {row.code} | row.also, shown


@pytest.mark.parametrize("row", [r for r in TABLE if r.code == "not-simulable"], ids=str)
def test_what_cannot_be_simulated_loads_and_is_refused_by_compile(row: Row) -> None:
    robot = gearwright.loads(row.text)
    assert robot.dof > 0 and robot.forward_kinematics()
    reported = [d for d in robot.diagnostics if d.code == "not-simulable"]
    assert all("`compile` refuses it" in d.message for d in reported)
    with pytest.raises(CompileError) as refused:
        gearwright.compile(robot)
    assert row.fragment in str(refused.value) and f":{row.expected_line}: " in str(refused.value)
    assert len(str(refused.value).splitlines()) == len(reported)


def test_every_code_has_a_row() -> None:
    assert {r.code for r in TABLE} | ELSEWHERE == set(CODES)


def test_codes_are_described() -> None:
    assert all(text and not text.endswith(".") for text in CODES.values())


# --- codes that need more than a file ---------------------------------------------------------------------------------


def test_file_unreadable(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.urdf", tmp_path):
        with pytest.raises(LoadError) as caught:
            gearwright.load(path)
        (only,) = caught.value.diagnostics
        assert (only.code, only.severity) == ("file-unreadable", "error")
        assert str(path) in str(only)


def test_xacro_is_expanded(tmp_path: Path) -> None:
    for suffix in (".xacro", ".urdf"):
        path = tmp_path / f"robot{suffix}"
        path.write_text(XACRO.format("hand"))
        assert list(gearwright.load(path).links) == ["hand"]


def test_diagnostics_many() -> None:
    with pytest.raises(LoadError) as caught:
        gearwright.loads('<robot name="r"><link name="a"/>' + "<link/>" * 1_500 + "</robot>")
    codes = [d.code for d in caught.value.diagnostics]
    assert codes.count("diagnostics-many") == 1
    assert codes.count("name-missing") == 1_000


@pytest.mark.parametrize(
    ("raised", "code"), [(ModelError("no"), "model-error"), (ZeroDivisionError("no"), "internal-error")]
)
def test_what_nobody_foresaw(monkeypatch: pytest.MonkeyPatch, raised: Exception, code: str) -> None:
    """On the command line, a failing reader is reported with its file; the others are still read."""
    from gearwright import formats
    from gearwright.cli.loading import LoadOptions, load

    def broken(*args: object, **options: object) -> None:
        raise raised

    monkeypatch.setattr(formats, "load", broken)
    monkeypatch.delenv("GEARWRIGHT_TRACEBACK", raising=False)
    (only,) = load("robot.urdf", LoadOptions()).diagnostics
    assert (only.code, only.severity, only.file) == (code, "error", "robot.urdf")


# --- how they read ----------------------------------------------------------------------------------------------------


def test_a_diagnostic_prints_as_compilers_do() -> None:
    d = Diagnostic(severity="error", code="axis-zero", message="no direction", file="robot.urdf", line=3)
    assert str(d) == "robot.urdf:3: error: no direction [axis-zero]"
    assert str(Diagnostic(severity="info", code="axis-zero", message="m", file="f")) == "f: info: m [axis-zero]"
    assert str(Diagnostic(severity="info", code="axis-zero", message="m")) == "info: m [axis-zero]"


def test_all_are_collected_before_loading_fails() -> None:
    text = urdf(
        '<joint name="x" type="nonsense"/>\n<actuator name="m"><damping>-1</damping></actuator>\n<encoder name="e"/>',
        joints=mimic(joint="nobody"),
    )
    with pytest.raises(LoadError) as caught:
        gearwright.loads(text)
    codes = {d.code for d in caught.value.diagnostics if d.severity == "error"}
    assert codes == {"joint-type-unknown", "actuator-value", "encoder-target-not-found", "mimic-leader-not-found"}
    assert all(code in str(caught.value) for code in codes)


def test_places_name_the_element() -> None:
    with pytest.raises(LoadError) as caught:
        gearwright.loads(axis_mimic('<mimic joint="bend"/>'), name="robot.sdf")
    (error,) = (d for d in caught.value.diagnostics if d.severity == "error")
    assert error.file == "robot.sdf"
    assert error.element == "model[m]/joint[bend]/axis/mimic"


def test_a_report_takes_known_codes_only() -> None:
    with pytest.raises(ValueError, match="CODES"):
        Report().error("no-such-code", "…")


def test_a_report_tells_a_kind_once() -> None:
    report = Report()
    assert [report.first("a"), report.first("a"), report.first("b")] == [True, False, True]


def test_a_report_holds_so_many_of_each_severity() -> None:
    """Infos do not crowd out an error; beyond the limit it still knows that it failed."""
    report = Report(limit=1)
    for _ in range(5):
        report.info("axis-missing", "m")
    for _ in range(5):
        report.error("axis-zero", "m", Source(file="f", line=1))
    assert report.failed
    assert sorted(d.code for d in report) == ["axis-missing", "axis-zero", "diagnostics-many", "diagnostics-many"]


def test_known_elements_are_told_once_per_kind() -> None:
    sensors = '<sensor name="s" type="camera"/>' * 3
    found = gearwright.loads(
        sdf(f"<plugin name='p' filename='x'/><plugin name='q' filename='x'/><link name='x'>{SDF_MASS}{sensors}</link>")
    ).diagnostics
    ignored = [d.message.split(":")[0] for d in found if d.code == "element-ignored"]
    assert sorted(ignored) == ["<plugin>", "<sensor>"]  # on one line: in no order


def test_unknown_elements_are_told_once_per_kind_and_parent() -> None:
    found = gearwright.loads(
        urdf(
            '<nonsense/><nonsense/><link name="x"><nonsense/></link><joint name="w" type="fixed">'
            '<parent link="arm"/><child link="x"/></joint>'
        )
    ).diagnostics
    assert [d.severity for d in found if d.code == "element-unknown"] == ["warning", "warning"]
