"""`gw.diff` says what differs, whatever the formats."""

import json
from dataclasses import replace

import gearwright as gw


def test_nothing_differs():
    found = gw.diff(gw.load("gripper"), gw.load("gripper"))
    assert (not found, len(found), str(found)) == (True, 0, "no difference")


def test_numbers_parts_and_classes():
    a = gw.load("gripper")
    (follower,) = a.couplings
    b = a.with_coupling(follower, mode="hard").without("motor_encoder")
    motor = a.actuators["motor"]
    b = b.with_actuator(replace(motor, rotor_inertia=2 * motor.rotor_inertia))
    said = [str(d) for d in gw.diff(a, b)]
    assert said == [
        f"coupling {follower!r}: mode exact → hard",
        f"actuator 'motor': rotor_inertia {motor.rotor_inertia} → {2 * motor.rotor_inertia}",
        "sensor 'motor_encoder': removed",
    ]
    assert str(gw.diff(b, a).found[-1]) == "sensor 'motor_encoder': added"


def test_a_part_in_the_place_of_nothing_is_said_once():
    a = gw.load("gripper")
    t = a.transmissions["spindle"]
    b = replace(a, transmissions={t.name: replace(t, backlash=gw.Backlash(gap=0.1, stiffness=10.0))})
    (d,) = gw.diff(a, b)
    assert (d.field, d.before, d.after) == ("backlash", None, "Backlash")


def test_tolerance():
    a = gw.load("gripper")
    (follower,) = a.couplings
    b = a.with_coupling(follower, offset=1e-6)
    assert gw.diff(a, b)
    assert not gw.diff(a, b, tolerance=1e-5)


def test_json():
    a = gw.load("gripper")
    data = json.loads(gw.diff(a, a.without("motor_encoder")).json())
    assert data[0]["kind"] == "sensor"
    assert data[0]["field"] == ""
    assert data[0]["after"] is None
