"""Small MJCF files of our own, each about one thing."""

from __future__ import annotations

ARM = """<mujoco model="arm">
  <compiler angle="degree" autolimits="true"/>
  <option timestep="0.001" gravity="0 0 -9.81"/>
  <default>
    <joint damping="0.1" armature="0.01"/>
    <geom density="500"/>
    <default class="finger"><joint type="slide" axis="0 1 0" range="0 0.04"/><geom size="0.01"/></default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 0.1"/>
    <body name="base" pos="0 0 0.1">
      <geom type="cylinder" size="0.05 0.1"/>
      <body name="upper" pos="0 0 0.1" euler="0 30 0">
        <joint name="shoulder" axis="0 1 0" range="-90 90" frictionloss="0.05" ref="10" springref="20" stiffness="2"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.03"/>
        <body name="lower" pos="0 0 0.3" quat="0.9 0.1 0.2 0">
          <joint name="elbow" axis="1 1 0" pos="0.01 0.02 0" range="-120 120" actuatorfrcrange="-5 5"/>
          <inertial pos="0.01 0 0.1" mass="0.7" fullinertia="0.004 0.005 0.002 1e-4 -2e-4 3e-4"/>
          <site name="tip" pos="0 0 0.2" euler="10 20 30"/>
          <body name="left" pos="0 0.02 0.2" childclass="finger">
            <joint name="left"/><geom type="box" size="0.01 0.005 0.02"/></body>
          <body name="right" pos="0 -0.02 0.2" childclass="finger">
            <joint name="right" axis="0 -1 0"/><geom type="box" size="0.01 0.005 0.02" contype="2" conaffinity="4"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="left" body2="right"/></contact>
  <tendon><fixed name="grip"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed></tendon>
  <equality><joint name="together" joint1="right" joint2="left" polycoef="0.001 1 0.2"/></equality>
  <actuator>
    <position name="shoulder" joint="shoulder" kp="50" kv="3" ctrlrange="-1 1" forcerange="-20 20"/>
    <velocity name="elbow" joint="elbow" kv="2"/>
    <general name="grip" tendon="grip" biastype="affine" gainprm="100" biasprm="1 -100 -10" ctrlrange="0 0.04"/>
  </actuator>
  <sensor>
    <jointpos name="angle" joint="shoulder"/><actuatorvel name="rate" actuator="elbow"/>
    <gyro name="gyro" site="tip"/><force name="force" site="tip"/><framepos objtype="site" objname="tip"/>
  </sensor>
  <keyframe><key name="home" qpos="0.2 -0.3 0.01 0.011" qvel="0.1 0 0 0" ctrl="0.2 0 0.01"/></keyframe>
</mujoco>"""

MANY_JOINTS = """<mujoco>
  <compiler angle="radian" eulerseq="ZYX"/>
  <worldbody>
    <body name="trunk" pos="0 0 1" euler="0.3 0.2 0.1">
      <freejoint name="root"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3"/>
      <body name="hip" pos="0.1 0 0" axisangle="0 1 1 0.5">
        <joint name="a" axis="1 0 0" pos="0 0.1 0" ref="0.3"/>
        <joint name="b" type="slide" axis="0 1 1" ref="-0.2"/>
        <joint name="c" axis="0 0 1" pos="0.1 0 0"/>
        <geom type="sphere" size="0.1"/><geom type="box" size="0.1 0.02 0.05" pos="0.1 0.2 0" zaxis="1 1 0"/>
        <body name="knee" pos="0 0 0.3" xyaxes="1 1 0 0 0 1">
          <joint type="ball" pos="0.05 0 0"/><geom type="capsule" size="0.05 0.1" mass="0.4"/>
          <frame pos="0.1 0 0" euler="0 0.4 0"><frame quat="1 1 0 0">
            <body name="foot" pos="0 0.1 0"><joint axis="0 1 0"/><geom type="cylinder" fromto="0 0 0 0.1 0.1 0"
              size="0.02"/></body></frame>
            <geom size="0.03"/><body pos="0.1 0 0"><geom size="0.02"/></body></frame>
        </body>
      </body>
    </body>
    <body name="cart" pos="2 0 0"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
      <joint axis="0 0 1"/><geom type="box" size="0.2 0.1 0.1"/></body>
    <body name="crate" pos="3 0 0" gravcomp="1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
  </worldbody>
</mujoco>"""

ACTUATORS = """<mujoco>
  <compiler angle="radian"/>
  <default>
    <general biastype="affine" gainprm="7" biasprm="0 -7 -0.5" forcerange="-30 40"/>
    <default class="servo"><position kp="20" dampratio="0.7" inheritrange="0.9"/></default>
    <default class="plain"><motor gear="3" ctrlrange="-1 2"/></default>
  </default>
  <worldbody>
    <body name="one"><joint name="j1" axis="0 1 0" range="-1 2" actuatorfrcrange="-4 4"/>
      <geom size="0.1" pos="0.2 0 0"/>
      <body name="two" pos="0.5 0 0"><joint name="j2" axis="0 1 0" range="-1 1"/>
        <geom type="box" size="0.1 0.05 0.05" pos="0.2 0 0"/><site name="s2" pos="0.3 0.02 0.1"/>
        <body name="three" pos="0.5 0 0"><joint name="j3" type="slide" axis="1 0 0"/><geom size="0.08" pos="0 0.1 0"/>
          <site name="s3" pos="0 0.05 0.1"/></body></body></body>
    <site name="s0" pos="0 0 0.3"/>
  </worldbody>
  <tendon>
    <fixed name="sum" stiffness="4" springlength="0.1 0.2" damping="0.3" frictionloss="0.01" armature="0.02">
      <joint joint="j1" coef="0.5"/><joint joint="j2" coef="-2"/></fixed>
    <spatial name="cable"><site site="s0"/><site site="s2"/><pulley divisor="2"/><site site="s2"/><site site="s3"/>
      </spatial>
  </tendon>
  <actuator>
    <general name="inherited" joint="j1"/>
    <position name="servo" class="servo" joint="j2"/>
    <position name="geared" joint="j3" kp="5" kv="0.2" gear="-2" forcerange="-1 3"/>
    <position name="filtered" joint="j1" kp="4" timeconst="0.1"/>
    <velocity name="speed" joint="j3" kv="6" gear="0.5"/>
    <intvelocity name="integrated" joint="j2" kp="8" kv="1" actrange="-1 1"/>
    <motor name="motor" class="plain" joint="j2"/>
    <damper name="damper" joint="j1" kv="3" ctrlrange="0 2"/>
    <cylinder name="cylinder" joint="j3" area="0.5" timeconst="0.2" bias="1 -2 -3"/>
    <pid name="pid" joint="j2" kp="9" kv="0.4" ki="2" imax="0.5" input="pos"/>
    <general name="sloped" joint="j3" gaintype="affine" gainprm="2 0.5 -0.3" biasprm="0.1 0.2 -0.4"/>
    <motor name="tendon_motor" tendon="sum" gear="4"/>
    <position name="cable_servo" tendon="cable" kp="30" dampratio="1" gear="2"/>
    <dcmotor name="dc" joint="j1" motorconst="0.05" resistance="2" gear="20" armature="1e-5" damping="1e-4"/>
  </actuator>
</mujoco>"""

INERTIAS = """<mujoco>
  <compiler inertiagrouprange="0 1" {compiler}/>
  <asset>
    {meshes}
  </asset>
  <worldbody>
    <body name="solid"><joint/>{solids}</body>
    <body name="hollow"><joint/>{shells}</body>
    <body name="given"><joint/><inertial pos="0.1 0 0" mass="2" diaginertia="1 2 2.5" euler="10 20 30"/>
      <geom size="0.1"/></body>
    {bodies}
  </worldbody>
</mujoco>"""

POINTS = "0 0 0  0.3 0 0  0 0.2 0  0 0 0.1  0.1 0.1 0.3"
FACES = "0 2 1  0 1 3  0 3 2  1 2 4  1 4 3  2 3 4"
PRIMITIVES = (
    '<geom type="sphere" size="0.1" pos="0.1 0 0"/>',
    '<geom type="capsule" size="0.1 0.2" pos="0 0.3 0" euler="30 0 0"/>',
    '<geom type="cylinder" size="0.1 0.2" axisangle="1 1 0 40"/>',
    '<geom type="ellipsoid" size="0.1 0.2 0.3" mass="2"/>',
    '<geom type="box" size="0.1 0.2 0.3" density="300" group="1"/>',
    '<geom type="box" size="1 1 1" group="3"/>',
    '<geom type="box" fromto="0 0 0 0.3 0.1 0.2" size="0.05" mass="0"/>',
)


def inertias(compiler: str = "") -> str:
    """Every primitive filled and hollow, and a mesh in each of the four ways, turned, moved and stretched."""
    ways = ("convex", "legacy", "exact", "shell")
    meshes = "".join(
        f'<mesh name="{way}" inertia="{way}" vertex="{POINTS}" face="{FACES}" scale="1 2 -0.5" refpos="0.1 0 0.2" '
        f'refquat="1 0.2 0.3 0"/>'
        for way in ways
    )
    bodies = "".join(
        f'<body name="{way}"><joint/><geom type="mesh" mesh="{way}" pos="0.1 0 0" euler="0 40 0"/></body>'
        f'<body name="{way} fitted"><joint/><geom type="capsule" mesh="{way}" fitscale="1.1"/></body>'
        for way in ways
    )
    shells = "".join(PRIMITIVES).replace("/>", ' shellinertia="true"/>')
    return INERTIAS.format(compiler=compiler, meshes=meshes, solids="".join(PRIMITIVES), shells=shells, bodies=bodies)


LOOP = """<mujoco>
  <compiler angle="radian"/>
  <default><equality solref="0.001 1"/></default>
  <worldbody>
    <body name="crank"><joint name="crank" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.01"/>
      <body name="rod" pos="0.1 0 0"><joint name="rod" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0.1" size="0.01"/></body></body>
    <body name="rocker" pos="0.3 0 0"><joint name="rocker" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.1" size="0.01"/>
      <body name="flag" pos="0 0 0.1"><joint name="flag" axis="0 0 1"/><geom size="0.02" pos="0.05 0 0"/></body></body>
    <body name="held" pos="1 0 0"><joint name="held" axis="0 1 0" ref="0.4"/><geom size="0.02" pos="0.05 0 0"/></body>
  </worldbody>
  <equality>
    <connect name="pin" body1="rod" body2="rocker" anchor="0.2 0 0.1"/>
    <joint joint1="held" polycoef="0.2"/>
    <weld body1="flag" body2="rocker"/>
  </equality>
</mujoco>"""


WRAPS = """<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <site name="s0" pos="-0.1 0.02 0.3"/><site name="s1" pos="0.12 -0.03 0.25"/>
    <geom name="fixed" type="sphere" size="0.05" pos="0 0 0.28"/><site name="above" pos="0 0 0.4"/>
    <body name="one"><joint name="j1" axis="0 1 0"/><geom size="0.02" pos="0.1 0 0"/>
      <geom name="drum" type="cylinder" size="0.04 0.1" pos="0.05 0 0.1" euler="1.4 0.2 0"/>
      <site name="out" pos="0.15 0 0.1"/>
      <body name="two" pos="0.3 0 0"><joint name="j2" axis="0 1 1"/><geom size="0.02" pos="0.1 0 0"/>
        <geom name="ball" size="0.03" pos="0.02 0 0"/>
        <site name="s2" pos="0.1 0.05 0.03"/></body></body>
  </worldbody>
  <tendon>
    <spatial name="over"><site site="s0"/><geom geom="fixed"/><site site="s2"/></spatial>
    <spatial name="beside"><site site="s0"/><geom geom="fixed"/><site site="s2"/></spatial>
    <spatial name="drum"><site site="s0"/><geom geom="drum"/><site site="s2"/></spatial>
    <spatial name="outside"><site site="s1"/><geom geom="drum" sidesite="out"/><site site="s2"/>
      <pulley divisor="2"/><site site="s1"/><geom geom="ball"/><site site="s2"/><site site="out"/></spatial>
  </tendon>
  <actuator>
    <motor name="over" tendon="over"/><motor name="beside" tendon="beside" gear="3"/>
    <position name="drum" tendon="drum" kp="20" dampratio="1"/><motor name="outside" tendon="outside"/>
  </actuator>
</mujoco>"""
