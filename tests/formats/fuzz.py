"""A mutation fuzzer for the readers: `python -m tests.formats.fuzz --files 200000 --seed 1 --jobs 2`.

Seeds are small robots, here and beside the repository; mutations work on the tree and on the bytes. Whatever comes out
must load or be refused with a diagnostic, within 5 s and 1 GiB. File number i of seed s is the same on every run.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files as package_files
from multiprocessing.connection import Connection, wait
from pathlib import Path

import numpy as np
from lxml import etree

import gearwright
from gearwright import LoadError, Mechanism
from gearwright.formats.transmissions.kinds import SPELLINGS
from gearwright.model.actuators import ACTUATORS
from gearwright.model.frictions import FRICTIONS
from gearwright.model.joints import JOINT_KINDS
from gearwright.model.sensors.sensors import SENSORS
from gearwright.model.transmissions import TRANSMISSIONS
from tests.corpus.files import SDF, URDF, robot_files
from tests.formats.guarded import limit_memory
from tests.formats.mjcf import files as mjcf

SECONDS = 5  # of processor time that a file may take
LARGEST = 40_000  # bytes of a seed from elsewhere: small files mutate more often and run faster
MINIMISING = 15.0  # seconds spent on making a failing file smaller

# --- seeds ------------------------------------------------------------------------------------------------------------

MASS = (
    '<inertial><origin xyz="0 0 0.1"/><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.2" '
    'ixy="0.01" ixz="0" iyz="0"/></inertial>'
)
SDF_MASS = (
    "<inertial><pose>0 0 0.1 0 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy>"
    "<izz>0.2</izz></inertia></inertial>"
)

INLINE = (
    # a URDF hand: mimics, transmissions, ros2_control
    f"""<?xml version="1.0"?>
<robot name="hand">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="palm">{MASS}<visual><origin xyz="0 0 0" rpy="0 0 1"/><geometry><box size="1 1 1"/>
    </geometry><material name="grey"/></visual></link>
  <link name="left">{MASS}<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <link name="right">{MASS}</link><link name="tip">{MASS}</link>
  <joint name="open" type="revolute"><origin xyz="0 0.1 0" rpy="0 1.57 0"/><parent link="palm"/>
    <child link="left"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/><dynamics damping="0.1" friction="0.01"/>
    <safety_controller k_velocity="1" soft_lower_limit="-0.9" soft_upper_limit="0.9"/></joint>
  <joint name="follow" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 1 
    0"/><limit lower="-2" upper="2" effort="5" velocity="2"/>
    <mimic joint="open" multiplier="-0.5" offset="0.1"/></joint>
  <joint name="wrist" type="continuous"><parent link="right"/><child link="tip"/><axis xyz="1 0 0"/></joint>
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="open">
    <hardwareInterface>EffortJointInterface</hardwareInterface></joint>
    <actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>
  <gazebo reference="left"><mu1>1</mu1></gazebo>
  <ros2_control name="system" type="system"><hardware><plugin>mock</plugin><param name="p">1</param>
    </hardware>
    <joint name="open"><command_interface name="position"><param name="min">-1</param>
    </command_interface><state_interface name="position"/></joint>
    <joint name="follow" mimic="true"><state_interface name="position"/></joint>
    <transmission name="d"><plugin>transmission_interface/DifferentialTransmission</plugin>
      <actuator name="a1" role="actuator1"><mechanical_reduction>2</mechanical_reduction></actuator>
    <actuator name="a2" role="actuator2"/>
      <joint name="open" role="joint1"><offset>0.1</offset></joint><joint name="wrist" 
    role="joint2"/></transmission>
  </ros2_control>
</robot>""",
    # SDFormat: frames, nesting, a loop, every kind of joint
    f"""<sdf version="1.11"><model name="linkage" canonical_link="ground" placement_frame="f">
  <pose degrees="true">0 0 1 0 0 90</pose>
  <frame name="f" attached_to="ground"><pose relative_to="crank">0 0 0.1 0 0 0</pose></frame>
  <link name="ground">{SDF_MASS}</link><link name="crank"><pose>1 0 0 0 0 0</pose>{SDF_MASS}</link>
  <link name="coupler"><pose relative_to="crank">0 1 0 0 0 0.1</pose>{SDF_MASS}</link><link 
    name="rocker"><pose>0 1 0 0 0 0</pose>{SDF_MASS}</link>
  <joint name="a" type="revolute"><parent>ground</parent><child>crank</child><axis><xyz>0 0 1</xyz>
    <limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort></limit><dynamics>
    <damping>0.1</damping></dynamics></axis></joint>
  <joint name="b" type="revolute"><pose>0.1 0 0 0 0 0</pose><parent>crank</parent>
    <child>coupler</child><axis><xyz expressed_in="__model__">0 0 1</xyz></axis></joint>
  <joint name="c" type="revolute"><parent>coupler</parent><child>rocker</child><axis><xyz>0 0 
    1</xyz></axis></joint>
  <joint name="d" type="revolute"><parent>rocker</parent><child>ground</child><axis><xyz 
    expressed_in="f">0 0 1</xyz></axis></joint>
  <model name="inner"><pose relative_to="rocker">0 0 1 0 0 0</pose><link name="x">{SDF_MASS}</link>
    <link name="y">{SDF_MASS}</link>
    <joint name="u" type="universal"><parent>x</parent><child>y</child><axis><xyz>1 0 0</xyz></axis>
    <axis2><xyz>0 1 0</xyz><mimic joint="u" axis="axis"><multiplier>2</multiplier><offset>0.1</offset>
    <reference>0.2</reference></mimic></axis2></joint></model>
  <joint name="weld" type="fixed"><parent>rocker</parent><child>inner::x</child></joint>
  <link name="nut">{SDF_MASS}</link><joint name="screw" type="screw"><parent>ground</parent>
    <child>nut</child><screw_thread_pitch>0.01</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis></joint>
  <link name="orb">{SDF_MASS}</link><joint name="ball" type="ball"><parent>nut</parent>
    <child>orb</child></joint>
</model></sdf>""",
    # a gearbox and its two older spellings
    f"""<sdf version="1.6"><model name="gears"><link name="base">{SDF_MASS}</link><link name="in">
    <pose>1 0 0 0 1.5708 0</pose>{SDF_MASS}</link><link name="out">{SDF_MASS}</link><link
    name="third">{SDF_MASS}</link>
  <joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="ji" type="revolute"><parent>base</parent><child>in</child><axis><xyz>1 0 0</xyz>
    <use_parent_model_frame>1</use_parent_model_frame></axis></joint>
  <joint name="jo" type="revolute"><parent>out</parent><child>base</child><axis><xyz>-1 0 0</xyz>
    </axis></joint>
  <joint name="jt" type="prismatic"><parent>base</parent><child>third</child><axis><xyz>0 0 1</xyz>
    </axis></joint>
  <joint name="g" type="gearbox"><parent>in</parent><child>out</child>
    <gearbox_ratio>5</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body><axis><xyz>1 0
    0</xyz></axis><axis2><xyz>1 0 0</xyz></axis2></joint>
  <joint name="old" type="mimic"><parent>ji</parent><child>jt</child><gearbox_ratio>5</gearbox_ratio></joint>
</model></sdf>""",
    # actuation elements
    f"""<sdf version="1.12"><world name="w"><gravity>0 0 -1</gravity><model name="other">
    <static>true</static><link name="z"/></model>
  <model name="driven"><link name="l0">{SDF_MASS}</link><link name="l1">{SDF_MASS}</link><link 
    name="l2">{SDF_MASS}</link><link name="l3">{SDF_MASS}</link>
  <include><uri>model://part</uri><name>tool</name><pose relative_to="l2">0 0 1 0 0 0</pose>
    <placement_frame>p</placement_frame></include>
  <joint name="j1" type="revolute"><parent>l0</parent><child>l1</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="j2" type="revolute"><parent>l1</parent><child>l2</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="j3" type="continuous"><parent>l2</parent><child>l3</child><axis><xyz>0 1 0</xyz></axis></joint>
  <actuator name="m1" type="electric_motor"><joint>j1</joint><stall_torque>2</stall_torque>
    <no_load_speed>300</no_load_speed><rotor_inertia>1e-5</rotor_inertia></actuator>
  <actuator name="m2" type="dc_motor"><resistance>1</resistance>
    <torque_constant>0.1</torque_constant></actuator>
  <actuator name="m3" type="electric_motor"><torque_speed_curve>0 2 100 1 300 0</torque_speed_curve>
    <command>velocity</command><damping_gain>0.1</damping_gain></actuator>
  <transmission name="wrist" type="differential"><actuator 
    role="actuator1">m2<mechanical_reduction>50</mechanical_reduction></actuator><actuator
    role="actuator2">m3</actuator><joint role="joint1">j1</joint><joint role="joint2">j2</joint>
    </transmission>
  <transmission name="map" type="linear_map"><actuator_array>j1</actuator_array>
    <joint_array>j3</joint_array><mapping><t_aj>2</t_aj><joint_effort_upper>10</joint_effort_upper>
    </mapping></transmission>
  <transmission name="bar" type="four_bar_linkage"><actuator>m1</actuator><joint>j1</joint>
    <ground>4</ground><input>1</input><coupler>4</coupler><output>3</output></transmission>
  <encoder name="e" type="position"><transmission>wrist</transmission><resolution>4096</resolution>
    <latency>0.002</latency></encoder>
  <limit name="stop"><joint>j2</joint><threshold>1</threshold></limit>
  <coupling name="sum"><term joint="j1">1</term><term joint="j2">-0.5</term><term 
    joint="j3">-0.5</term><offset>0.1</offset></coupling>
  </model></world></sdf>""",
    # an older model, axes in the model's frame
    f"""<sdf version="1.4"><model name="old"><static>0</static><link name="a"><pose>0 0 1 1 0 
    0</pose>{SDF_MASS}</link><link name="b"><pose>0 0 2 0 1 0</pose>{SDF_MASS}</link>
  <joint name="j" type="revolute2"><pose>0 0 0 0.1 0.2 0.3</pose><parent>a</parent><child>b</child>
    <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
  <joint name="s" type="screw"><parent>a</parent><child>b</child><thread_pitch>10</thread_pitch>
    <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>""",
    # a URDF with a loop closed by Gazebo, and kinds that URDF alone has
    f"""<robot name="loop"><link name="world"/><link name="a">{MASS}</link><link name="b">{MASS}</link>
    <link name="c">{MASS}</link>
  <joint name="p" type="planar"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/></joint>
  <joint name="f" type="floating"><parent link="a"/><child link="b"/></joint>
  <joint name="r" type="revolute"><origin xyz="0.1 0 0"/><parent link="a"/><child link="c"/><axis 
    xyz="0 1 0"/><limit lower="0" upper="0.5" effort="1" velocity="1"/></joint>
  <gazebo><joint name="close" type="revolute"><parent>c</parent><child>b</child><pose>0 0 0.1 0 0 
    0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>
  <transmission name="belt" type="belt"><actuator name="m"/><joint name="r"/>
    <driver_teeth>10</driver_teeth><driven_teeth>20</driven_teeth></transmission></robot>""",
    # MJCF
    mjcf.ARM, mjcf.MANY_JOINTS, mjcf.ACTUATORS, mjcf.LOOP, mjcf.WRAPS,
    mjcf.inertias('boundmass="0.1" balanceinertia="true"'),
)  # fmt: skip

FRAGMENTS = (
    (
        '<mimic joint="{name}"><multiplier>{number}</multiplier><offset>{number}</offset>'
        "<reference>{number}</reference></mimic>"
    ),
    '<mimic joint="{name}" multiplier="{number}" offset="{number}" axis="axis2"/>',
    (
        '<mimic joint="{name}"><mode>compliant</mode><natural_frequency>{number}</natural_frequency>'
        "<damping_ratio>1</damping_ratio></mimic>"
    ),
    '<mimic joint="{name}"><powers>{number} {number}</powers><reference>{number}</reference></mimic>',
    '<axis><xyz>0 0 1</xyz><mimic joint="{name}"/></axis>',
    (
        '<joint name="new" type="gearbox"><parent>{name}</parent><child>{name}</child>'
        "<gearbox_ratio>{number}</gearbox_ratio>"
        "<gearbox_reference_body>{name}</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis><axis2>"
        "<xyz>0 1 0</xyz></axis2></joint>"
    ),
    (
        '<joint name="new" type="mimic"><parent>{name}</parent><child>{name}</child>'
        "<gearbox_ratio>{number}</gearbox_ratio></joint>"
    ),
    (
        '<joint name="{name}" type="revolute"><parent>{name}</parent><child>{name}</child><axis>'
        "<xyz>0 1 {number}</xyz></axis></joint>"
    ),
    '<joint name="new" type="revolute"><parent link="{name}"/><child link="{name}"/><axis xyz="0 1 0"/></joint>',
    (
        '<actuator name="{name}" type="electric_motor"><joint>{name}</joint>'
        "<rotor_inertia>{number}</rotor_inertia></actuator>"
    ),
    (
        '<transmission name="new" type="simple"><actuator name="{name}"/><joint name="{name}">'
        "<mechanical_reduction>{number}</mechanical_reduction></joint></transmission>"
    ),
    (
        '<transmission name="new" type="linear_map"><actuator_array>{name} {name}</actuator_array>'
        "<joint_array>{name} {name}</joint_array></transmission>"
    ),
    (
        '<transmission name="new" type="custom_functions"><actuator>{name}</actuator>'
        '<joint>{name}</joint><mapping_plugin name="p" filename="{name}.py"/></transmission>'
    ),
    (
        '<transmission name="new" type="four_bar_linkage"><actuator>{name}</actuator>'
        "<joint>{name}</joint><ground>{number}</ground><input>1</input><coupler>1</coupler>"
        "<output>1</output><branch>{number}</branch></transmission>"
    ),
    (
        '<plugin name="{name}" filename="lib.so"><actuator_array>{name}</actuator_array>'
        "<joint_array>{name}</joint_array></plugin>"
    ),
    (
        '<encoder name="{name}" type="velocity"><joint>{name}</joint><resolution>{number}</resolution>'
        "<seed>{number}</seed></encoder>"
    ),
    '<limit name="{name}"><actuator>{name}</actuator><hysteresis>{number}</hysteresis></limit>',
    (
        '<coupling name="{name}"><term joint="{name}">{number}</term><term '
        'joint="{name}">{number}</term><offset>{number}</offset></coupling>'
    ),
    (
        '<ros2_control name="{name}" type="system"><joint name="{name}" mimic="false"/><joint '
        'name="{name}"><command_interface name="position"/></joint></ros2_control>'
    ),
    (
        '<gazebo><joint name="{name}" type="ball"><parent>{name}</parent><child>{name}</child></joint>'
        '<link name="{name}"/></gazebo>'
    ),
    '<frame name="{name}" attached_to="{name}"><pose relative_to="{name}">{number} 0 0 {number} 0 0</pose></frame>',
    '<model name="{name}"><pose relative_to="{name}"/><link name="{name}"/></model>',
    '<include merge="true"><uri>model://part</uri><name>{name}</name></include>',
    '<include><uri>model://part</uri><pose relative_to="{name}">{number} 0 0 0 0 0</pose></include>',
    '<pose relative_to="{name}" rotation_format="quat_xyzw">0 0 0 {number} 0 0 1</pose>',
    "<static>true</static>",
    '<body name="{name}" pos="{number} 0 0" euler="0 {number} 0"><joint name="{name}" ref="{number}"/><geom '
    'size="{number}"/></body>',
    '<joint type="ball" range="{number} {number}" stiffness="{number} 1" springdamper="{number} 1"/>',
    '<geom type="ellipsoid" size="{number} {number} 1" mass="{number}" shellinertia="true" contype="{number}"/>',
    '<default class="{name}"><position kp="{number}" dampratio="{number}"/><geom density="{number}"/></default>',
    '<equality><joint joint1="{name}" joint2="{name}" polycoef="{number} {number} {number}"/></equality>',
    '<equality><connect body1="{name}" body2="{name}" anchor="{number} 0 0"/><weld site1="{name}" site2="{name}"/>'
    "</equality>",
    '<tendon><fixed name="{name}" stiffness="{number}"><joint joint="{name}" coef="{number}"/></fixed></tendon>',
    '<tendon><spatial><site site="{name}"/><pulley divisor="{number}"/><geom geom="{name}"/></spatial></tendon>',
    '<actuator><general joint="{name}" gear="{number}" gainprm="{number}" biasprm="{number} {number}"/></actuator>',
    '<actuator><dcmotor joint="{name}" nominal="{number} {number} {number}" resistance="{number}"/></actuator>',
    '<keyframe><key name="{name}" qpos="{number} {number}" ctrl="{number}"/></keyframe>',
    '<replicate count="{number}" offset="{number} 0 0"><geom size="{number}"/></replicate>',
    '<compiler angle="radian" eulerseq="{name}" settotalmass="{number}" boundinertia="{number}"/>',
    '<asset><mesh name="{name}" vertex="0 0 0 1 0 0 0 1 0 0 0 {number}" scale="{number} 1 1"/></asset>',
    '<contact><pair geom1="{name}" geom2="{name}"/><exclude body1="{name}" body2="{name}"/></contact>',
    '<include file="{name}"/>',
)

PART = (
    f'<sdf version="1.9"><model name="part"><link name="p">{SDF_MASS}</link><link '
    f'name="q">{SDF_MASS}</link><joint name="pq" type="revolute"><parent>p</parent><child>q</child>'
    "<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"
)

NUMBERS = (
    "0", "-0", "1", "-1", "2", "0.5", "1e-3", "1e3", "3.14159265358979", "1.5707963", "nan", "inf", "-inf", "1e16",
    "-1e16", "1e17", "1e308", "-1e308", "1e200", "1e-200", "1e-320", "1e999", "1e-999", "1_000", "0x10", "", " ",
    "1 2", "1 2 3", "true", "one", "1,5", "+1", ".5", "5.", "1e", "--1", "\u0661", "9" * 400,
    "0." + "0" * 400 + "1", "1d0", "1f", "-", "[0]",
)  # fmt: skip
NAMES = (
    "",
    " ",
    "world",
    "__model__",
    "__root__",
    "a::b",
    "::",
    "a::",
    "::a",
    "base",
    "x" * 5_000,
    "\u00e9",
    "a b",
    "a\nb",
    "a.axis2",
    ".",
    "name#2",
)
KINDS = (
    *JOINT_KINDS.rows, *SPELLINGS, *TRANSMISSIONS.rows, *ACTUATORS.rows, *SENSORS.rows, *FRICTIONS.rows,
    "gearbox", "mimic", "position", "velocity", "system", "nonsense", "",
)  # fmt: skip
VERSIONS = ("1.0", "1.4", "1.5", "1.6", "1.7", "1.8", "1.11", "1.12", "1.99", "2.0", "0.0", "", "x")
TAGS = (
    "link", "joint", "model", "frame", "axis", "axis2", "pose", "mimic", "parent", "child", "limit", "inertial",
    "transmission", "actuator", "encoder", "coupling", "term", "world", "include", "ros2_control", "gazebo",
    "plugin", "robot", "sdf", "static", "origin", "mass", "param", "mujoco", "body", "geom", "site", "default",
    "equality", "tendon", "general", "position", "worldbody", "replicate", "freejoint",
)  # fmt: skip


@cache
def seeds() -> tuple[bytes, ...]:
    """Here, in the package, and beside the repository where there is a corpus."""
    found = [text.encode() for text in INLINE]
    robots = package_files("gearwright").joinpath("robots")
    if robots.is_dir():
        found += [
            p.read_bytes() for p in sorted(robots.iterdir(), key=lambda p: p.name) if p.name.endswith((".sdf", ".urdf"))
        ]
    for robot in robot_files((*URDF, *SDF)):
        if robot.path.stat().st_size <= LARGEST:
            found.append(robot.path.read_bytes())
    return tuple(found)


# --- mutations of the tree --------------------------------------------------------------------------------------------

Tree = etree._Element
TreeMutation = Callable[[Tree, random.Random], None]


def _plain(e: Tree) -> bool:
    """No prefix that lxml would refuse to write: it was lenient when it read it."""
    return isinstance(e.tag, str) and (":" not in e.tag or e.tag[0] == "{")


def _any(root: Tree, rng: random.Random) -> Tree:
    return rng.choice([e for e in root.iter() if isinstance(e.tag, str)])


def _inner(root: Tree, rng: random.Random) -> Tree | None:
    elements = [e for e in root.iter() if isinstance(e.tag, str) and e is not root]
    return rng.choice(elements) if elements else None


def _name(root: Tree, rng: random.Random) -> str:
    names = [e.get("name") for e in root.iter() if isinstance(e.tag, str) and e.get("name")]
    return rng.choice(names) if names and rng.random() < 0.8 else rng.choice(NAMES)


def _delete(root: Tree, rng: random.Random) -> None:
    e = _inner(root, rng)
    if e is not None:
        e.getparent().remove(e)


def _duplicate(root: Tree, rng: random.Random) -> None:
    e = _inner(root, rng)
    if e is not None:
        for _ in range(rng.choice((1, 1, 1, 2, 20))):
            copy = deepcopy(e)
            if rng.random() < 0.5 and copy.get("name"):
                copy.set("name", copy.get("name") + str(rng.randrange(100)))
            e.addnext(copy)


def _move(root: Tree, rng: random.Random) -> None:
    e, to = _inner(root, rng), _any(root, rng)
    if e is not None and to not in set(e.iter()):
        to.insert(rng.randrange(len(to) + 1), e)


def _rename(root: Tree, rng: random.Random) -> None:
    tags = [e.tag for e in root.iter() if _plain(e)]
    e = _inner(root, rng)
    new = rng.choice([*tags, *TAGS])
    (e if e is not None and rng.random() < 0.97 else root).tag = new


def _swap_attributes(root: Tree, rng: random.Random) -> None:
    holders = [(e, k) for e in root.iter() if isinstance(e.tag, str) for k in e.attrib]
    if len(holders) > 1:
        (a, i), (b, j) = rng.sample(holders, 2)
        a.attrib[i], b.attrib[j] = b.attrib[j], a.attrib[i]


def _drop_attribute(root: Tree, rng: random.Random) -> None:
    holders = [(e, k) for e in root.iter() if isinstance(e.tag, str) for k in e.attrib]
    if holders:
        e, k = rng.choice(holders)
        del e.attrib[k]


def _texts(root: Tree) -> list[tuple[Tree, str | None]]:
    """Where words stand: an attribute's name, or None for the element's own text."""
    inside = [(e, None) for e in root.iter() if isinstance(e.tag, str) and e.text and e.text.strip()]
    return inside + [(e, k) for e in root.iter() if isinstance(e.tag, str) for k in e.attrib]


def _set(place: tuple[Tree, str | None], value: str) -> None:
    e, k = place
    value = "".join(c for c in value if c >= " " or c in "\n\t")
    if k is None:
        e.text = value
    else:
        e.set(k, value)


def _numeric(text: str) -> bool:
    return any(c.isdigit() for c in text) and not any(c.isalpha() and c not in "eE" for c in text)


def _change_number(root: Tree, rng: random.Random) -> None:
    places = [(e, k) for e, k in _texts(root) if _numeric(e.text if k is None else e.attrib[k])]
    if not places:
        return
    e, k = rng.choice(places)
    words = (e.text if k is None else e.attrib[k]).split() or [""]
    words[rng.randrange(len(words))] = rng.choice(NUMBERS)
    if rng.random() < 0.1:
        words = words[:-1] if rng.random() < 0.5 else [*words, rng.choice(NUMBERS)]
    _set((e, k), " ".join(words))


def _change_name(root: Tree, rng: random.Random) -> None:
    places = [(e, k) for e, k in _texts(root) if not _numeric(e.text if k is None else e.attrib[k])]
    if places:
        _set(rng.choice(places), _name(root, rng))


def _change_type(root: Tree, rng: random.Random) -> None:
    typed = [e for e in root.iter() if isinstance(e.tag, str) and "type" in e.attrib]
    if typed:
        rng.choice(typed).set("type", rng.choice(KINDS))


def _change_version(root: Tree, rng: random.Random) -> None:
    root.set("version", rng.choice(VERSIONS))


def _inject(root: Tree, rng: random.Random) -> None:
    fragment = rng.choice(FRAGMENTS)
    while "{" in fragment:
        first = "{name}" if "{name}" in fragment else "{number}"
        filled = _name(root, rng) if first == "{name}" else rng.choice(NUMBERS)
        filled = filled.replace("&", "").replace("<", "").replace('"', "").replace("{", "")
        fragment = fragment.replace(first, filled, 1)
    likely = [e for e in root.iter() if e.tag in ("model", "robot", "joint", "axis", "mujoco", "body")]
    to = rng.choice(likely) if likely and rng.random() < 0.8 else _any(root, rng)
    to.insert(rng.randrange(len(to) + 1), etree.fromstring(fragment))


def _nest(root: Tree, rng: random.Random) -> None:
    """An element inside a copy of itself, several times over."""
    e = _inner(root, rng)
    if e is None or not _plain(e):
        return
    for _ in range(rng.choice((1, 3, 60, 250))):
        outer = etree.Element(e.tag, dict(e.attrib))
        e.addprevious(outer)
        outer.append(e)
        e = outer


TREE_MUTATIONS: tuple[tuple[TreeMutation, int], ...] = (
    (_delete, 5), (_duplicate, 4), (_move, 4), (_rename, 3), (_swap_attributes, 3), (_drop_attribute, 3),
    (_change_number, 8), (_change_name, 8), (_change_type, 4), (_change_version, 1), (_inject, 6), (_nest, 1),
)  # fmt: skip

# --- mutations of the bytes -------------------------------------------------------------------------------------------

ByteMutation = Callable[[bytes, random.Random], bytes]
HOSTILE = (
    b"\0", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"<", b">", b"&", b"&amp;", b"&#0;", b"&x;", b"&#x110000;",
    b"]]>", b"<![CDATA[", b"<!--", b"-->", b"<?xml version='1.0'?>", b"<!DOCTYPE a>",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"drake:", b'"', b"'", b"=", b"\n" * 50, b"\t", b"xmlns=''", b"xmlns:a='b' ",
    b"\xc3", b"\r", b"</",
)  # fmt: skip
ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32", "utf-7", "latin-1")


def _flip(data: bytes, rng: random.Random) -> bytes:
    b = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if b:
            b[rng.randrange(len(b))] = rng.randrange(256)
    return bytes(b)


def _insert(data: bytes, rng: random.Random) -> bytes:
    i = rng.randrange(len(data) + 1)
    return data[:i] + rng.choice(HOSTILE) + data[i:]


def _cut_out(data: bytes, rng: random.Random) -> bytes:
    i, j = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    return data[:i] + data[min(j, i + rng.choice((1, 5, 100, len(data)))) :]


def _truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    i, j = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    j = min(j, i + 300)
    return data[:j] + data[i:j] * rng.choice((1, 2, 50)) + data[j:]


def _splice(data: bytes, rng: random.Random) -> bytes:
    other = rng.choice(seeds())
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def _encode(data: bytes, rng: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


BYTE_MUTATIONS: tuple[ByteMutation, ...] = (_flip, _insert, _cut_out, _truncate, _repeat, _splice, _encode)

# --- a file -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """One mutated file, and how it is loaded."""

    index: int
    data: bytes
    options: dict[str, object] = field(default_factory=dict)


def case(seed: int, index: int) -> Case:
    rng = random.Random(f"{seed}:{index}")
    data = rng.choice(seeds()[: len(INLINE)]) if rng.random() < 0.5 else rng.choice(seeds())
    if rng.random() < 0.85:
        data = _mutated_tree(data, rng)
    if rng.random() < 0.2:
        for _ in range(rng.choice((1, 1, 2, 5))):
            data = rng.choice(BYTE_MUTATIONS)(data, rng)
    options: dict[str, object] = {}
    if rng.random() < 0.2:
        options["base"] = rng.choice(("floating", "fixed"))
    if rng.random() < 0.3:
        options["model"] = rng.choice(("*", "driven", "linkage"))
    return Case(index, data, options)


def _mutated_tree(data: bytes, rng: random.Random) -> bytes:
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    root = etree.fromstring(data, parser)
    if root is None:
        return data
    mutations, weights = zip(*TREE_MUTATIONS, strict=True)
    if rng.random() < 0.1:
        other = etree.fromstring(rng.choice(seeds()), parser)
        if other is not None:
            e = _any(other, rng)
            _any(root, rng).append(deepcopy(e))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 10))):
        rng.choices(mutations, weights)[0](root, rng)
    written: bytes = etree.tostring(root)
    return written


# --- running a file ---------------------------------------------------------------------------------------------------


class TooSlow(BaseException):
    """Not an Exception, so that no reader's `except` swallows it."""


def probe(data: bytes, options: dict[str, object], folder: str) -> str | None:
    """Loads a file and asks the mechanism the usual questions. None if all is well, else what went wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                m = gearwright.loads(data, search_path=[folder], **options)  # type: ignore[arg-type]
            except LoadError as error:
                return None if _tells(error) else "a LoadError without an error among its diagnostics"
            return _questions(m)
    except (Exception, RecursionError, MemoryError) as error:
        return _signature(error)


def _tells(error: LoadError) -> bool:
    shown = [str(d) for d in error.diagnostics]
    return bool(shown and str(error)) and any(d.severity == "error" for d in error.diagnostics)


def _questions(m: Mechanism) -> str | None:
    if m.dof < 0:
        return "fewer than no freedoms"
    if not all(np.isfinite(X).all() for X in m.forward_kinematics().values()):
        return "poses that are not finite"
    m.reflected_inertia()
    repr(m)
    for d in m.diagnostics:
        if "\n" in str(d):
            return "a diagnostic of more than one line"
        if d.severity == "error":
            return "a mechanism with an error among its diagnostics"
    return None


def _signature(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "gearwright" in f.filename and "tests" not in f.filename]
    last = (ours or frames)[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.name}: {str(error)[:80]}"


def timed(data: bytes, options: dict[str, object], folder: str, seconds: float = SECONDS) -> str | None:
    """`probe` under an alarm."""

    def ring(signum: int, frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return probe(data, options, folder)
    except TooSlow as slow:
        return f"more than {seconds:g} s, {_signature(slow)}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def part_folder(where: str) -> str:
    """A search path with the one model that seeds include."""
    part = Path(where) / "part"
    part.mkdir(exist_ok=True)
    (part / "model.sdf").write_text(PART)
    return where


def minimised(data: bytes, same: Callable[[bytes], bool], seconds: float = MINIMISING) -> bytes:
    """Smaller and still the same failure: elements taken out while that helps, then lines and characters."""
    until = time.monotonic() + seconds
    for smaller in (_without_elements, _without_attributes, _without_bytes):
        progress = True
        while progress and time.monotonic() < until:
            progress = False
            for candidate in smaller(data):
                if time.monotonic() > until:
                    break
                if len(candidate) < len(data) and same(candidate):
                    data, progress = candidate, True
                    break
    return data


def _without_elements(data: bytes) -> Iterator[bytes]:
    yield from _without(data, lambda root: [e for e in root.iter() if e is not root], lambda e: e.getparent().remove(e))


def _without_attributes(data: bytes) -> Iterator[bytes]:
    def places(root: Tree) -> list[tuple[Tree, str]]:
        return [(e, k) for e in root.iter() if isinstance(e.tag, str) for k in e.attrib]

    yield from _without(data, places, lambda place: place[0].attrib.pop(place[1]))


def _without(data: bytes, places: Callable[[Tree], list], remove: Callable[..., object]) -> Iterator[bytes]:  # type: ignore[type-arg]
    try:
        count = len(places(etree.fromstring(data)))
    except etree.XMLSyntaxError:  # either: nothing to leave out
        return
    for i in range(count):
        root = etree.fromstring(data)
        remove(places(root)[i])
        yield etree.tostring(root)


def _without_bytes(data: bytes) -> Iterator[bytes]:
    size = len(data) // 2
    while size:
        for i in range(0, len(data), size):
            yield data[:i] + data[i + size :]
        size //= 2 if size > 8 else 8


# --- many files -------------------------------------------------------------------------------------------------------


def _worker(pipe: Connection, others: Connection, seed: int) -> None:
    """Takes indices, gives back failures; the parent kills it if it does not answer."""
    others.close()  # so that the pipe ends when the parent does
    limit_memory()
    with tempfile.TemporaryDirectory() as folder:
        part_folder(folder)
        while True:
            indices = pipe.recv()
            if not indices:
                return
            failures = []
            for i in indices:
                pipe.send(("at", i))
                c = case(seed, i)
                problem = timed(c.data, c.options, folder)
                if problem:
                    failures.append((i, problem))
            pipe.send(("done", failures))


@dataclass
class _Job:
    process: multiprocessing.process.BaseProcess
    pipe: Connection
    at: int = -1
    heard: float = 0.0
    todo: range = range(0)


def run(
    total: int, seed: int, jobs: int, first: int = 0, tell: Callable[[int, int], None] = lambda n, f: None
) -> dict[int, str]:
    """Files first … first + total of a seed; the failures by index."""
    context = multiprocessing.get_context("fork")
    batches = iter([range(i, min(i + 50, first + total)) for i in range(first, first + total, 50)])
    failures: dict[int, str] = {}
    done = 0

    def start(todo: range) -> _Job:
        ours, theirs = context.Pipe()
        process = context.Process(target=_worker, args=(theirs, ours, seed), daemon=True)
        process.start()
        theirs.close()
        job = _Job(process, ours, at=todo.start, heard=time.monotonic(), todo=todo)
        ours.send(todo)
        return job

    active = [start(batch) for batch in (next(batches, None) for _ in range(jobs)) if batch is not None]
    while active:
        ready = wait([j.pipe for j in active], timeout=1.0)
        for job in list(active):
            lost = False
            if job.pipe in ready:
                try:
                    what, value = job.pipe.recv()
                except (EOFError, OSError):
                    lost, problem = True, f"the process died (exit code {job.process.exitcode})"
                else:
                    job.heard = time.monotonic()
                    if what == "at":
                        job.at = value
                    else:
                        failures.update(value)
                        for i, problem in value:
                            print(f"\nfile {i} of seed {seed}: {problem}", flush=True)
                        done += len(job.todo)
                        tell(done, len(failures))
                        job.todo = next(batches, range(0))
                        job.pipe.send(job.todo)
                        if not job.todo:
                            active.remove(job)
                            job.process.join()
            elif time.monotonic() - job.heard > 12 * SECONDS:
                lost, problem = True, f"more than {12 * SECONDS} s where no alarm is heard"
            if lost:
                job.process.kill()
                job.process.join()
                active.remove(job)
                failures[job.at] = problem
                done += job.at + 1 - job.todo.start
                rest = range(job.at + 1, job.todo.stop) or next(batches, range(0))
                if rest:
                    active.append(start(rest))
    return failures


def save(failures: dict[int, str], seed: int, folder: Path) -> None:
    """One minimal reproducer for each kind of failure."""
    folder.mkdir(parents=True, exist_ok=True)
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as parts:
        part_folder(parts)
        for i, problem in sorted(failures.items()):
            kind = problem.rpartition(":")[0] or problem
            if kind in seen:
                continue
            seen.add(kind)
            c = case(seed, i)
            data = c.data
            if "more than" not in problem and "died" not in problem:
                data = minimised(data, lambda d, c=c, kind=kind: (timed(d, c.options, parts) or "").startswith(kind))  # type: ignore[misc]
            stem = f"{seed}-{i}-{hashlib.sha1(kind.encode()).hexdigest()[:8]}"
            (folder / f"{stem}.xml").write_bytes(data)
            (folder / f"{stem}.txt").write_text(f"{problem}\noptions: {c.options}\n")
            print(f"{problem}\n  file {i}, options {c.options}: {folder / stem}.xml ({len(data)} bytes)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first file")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"), help="folder for files that fail")
    args = parser.parse_args()
    started = time.monotonic()

    def tell(done: int, failed: int) -> None:
        rate = done / (time.monotonic() - started)
        print(
            f"\r{done:,} of {args.files:,} files, {rate:.0f}/s, {failed} failures ", end="", file=sys.stderr, flush=True
        )

    print(f"{len(seeds())} seeds")
    failures = run(args.files, args.seed, args.jobs, args.first, tell)
    seconds = time.monotonic() - started
    print(file=sys.stderr)
    print(f"{args.files:,} files in {seconds:.0f} s ({args.files / seconds:.0f}/s), {len(failures)} failures")
    if failures:
        save(failures, args.seed, args.failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
