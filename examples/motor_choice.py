"""Which motor and gear for this arm? A sweep over designs, and the front of those that no other one beats.

    python examples/motor_choice.py [DESIGNS]     writes motor_choice.parquet and motor_choice.png

An arm lifts a load by one motor. Varied are the motor's stall torque and no-load speed, and the gear's
reduction. Wanted: a fast lift, and little torque in the winding, which is what heats it.
"""

import sys

import gearwright as gw
from gearwright.drawing import draw_pareto

ROBOT = """
<robot name="lift">
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0.25 0 0"/><mass value="1.2"/>
      <inertia ixx="0.002" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 -1 0"/>
    <limit lower="-1.5" upper="1.5" effort="60" velocity="20"/><dynamics damping="0.05" friction="0.1"/>
  </joint>
  <transmission name="gear">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="shoulder"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
    <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator>
  </transmission>
</robot>
"""


def main(designs: int) -> None:
    robot = gw.loads(ROBOT)
    motor = gw.ElectricMotor(name="motor", stall_torque=0.4, no_load_speed=400.0, rotor_inertia=1e-5)
    robot = robot.with_actuator(motor)
    table = gw.sweep(
        robot,
        vary={
            "motor.stall_torque": (0.15, 1.0), "motor.no_load_speed": (100.0, 600.0), "gear.reduction": (10.0, 120.0),
        },
        metrics={"height": "shoulder.position:last", "heat": "motor.torque:rms", "speed": "shoulder.velocity:max"},
        sampling="sobol", n=designs, duration=0.4, position={"shoulder": -1.0}, command={"motor": 10.0},
        out="motor_choice.parquet", progress=True,
    )  # fmt: skip
    draw_pareto(table, ("speed", "-heat"), "motor_choice.png")
    print(f"{len(table)} designs; fastest {table['speed'].max():.2f} rad/s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
