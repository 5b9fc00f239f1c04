"""Nothing is dropped silently: each writer writes each field of the model, or says that it does not."""

from dataclasses import is_dataclass

import pytest

import gearwright as gw
from gearwright.comparing import diff
from gearwright.model import ACTUATORS, SENSORS
from gearwright.model.frictions import FRICTIONS
from gearwright.model.transmissions import TRANSMISSIONS
from gearwright.sim.saving.as_data import classes
from gearwright.writing.report import LossLog
from gearwright.writing.saving import FORMATS, text_of
from tests.writing.every_field import PLACES, robot, variants

pytestmark = pytest.mark.filterwarnings("ignore::gearwright.LoadWarning")  # of a type that nobody knows
VARIANTS = list(variants())

# parts of a mechanism that are in no file by themselves, and classes that are no parts
ELSEWHERE = {
    "LearnedActuator": "a network",
    "Network": "of a LearnedActuator",
    "Layer": "of a LearnedActuator",
    "RecurrentLayer": "of a LearnedActuator",
    "Elasticity": "computed",
    "SpatialTendon": "of MJCF files",
    "TendonWrap": "of a SpatialTendon",
    "Keyframe": "of Mechanism.keyframes",
    "HeightField": "made of a Heightmap's image", "Hull": "made of a Mesh's file", "Supply": "of a PositionServo",
    "BodySensor": "the base of Imu and ForceTorque", "Sensor": "the base of sensors", "CustomSensor": "a function",
    "CustomActuator": "a function", "CustomTransmission": "a function", "CustomJointMap": "a function",
    "RodLinkage": "made from rods", "ActuatorsFollow": "made from rods", "ScrewJoints": "a base",
    "LinearSeries": "a Series",
    "Term": "of a Coupling", "Affine": "computed", "Through": "computed", "FollowerPolynomial": "computed",
    "AxisRef": "a name", "Drive": "of Simulation.drive", "CommandLimits": "of the joint's and the interface's limits",
    "MimicJoint": "of the couplings", "ContactSide": "computed", "ContactSurface": "computed",
    "ContactPair": "computed", "ControlPlaces": "of compiled code", "SensorLayout": "of compiled code",
    "Declared": "of a controller", "ControlFacts": "of compiled code", "StepFacts": "of compiled code",
    "Options": "of compile",
}  # fmt: skip
# what SDFormat or URDF cannot say even with elements of ours
CANNOT = {("OtherShape", "kind"), ("Surface", "friction2"), ("Surface", "damping"), ("Surface", "stiffness")}
SAME = {("Link", "name"), ("Joint", "name")}  # of the robot itself
ALIKE = {("Coupling", "mode")}  # hard and exact are one thing in MuJoCo; a note says so


def test_every_class_of_the_model_is_looked_at():
    families = (ACTUATORS, SENSORS, FRICTIONS, TRANSMISSIONS)
    known = {kind.__name__ for kind in PLACES} | ELSEWHERE.keys() | {"Series"}
    every = {n for n, kind in classes().items() if is_dataclass(kind) or n in ELSEWHERE}
    every |= {kind.__name__ for family in families for kind in family.values()}
    assert every - known == set()


def ids(value):
    return getattr(value, "__name__", value) if isinstance(value, type | str) else ""


@pytest.mark.parametrize("ending", (".sdf", ".urdf"))
@pytest.mark.parametrize(("kind", "field", "made"), VARIANTS, ids=ids)
def test_sdf_and_urdf_hold_it(kind, field, made, ending):
    losses = LossLog()
    text = text_of(made, FORMATS[ending], losses)
    different = [d for d in diff(made, gw.loads(text)) if not (d.kind == "transmission" and "parameters" in d.field)]
    said = {(loss.part, loss.field) for loss in losses.lost} | {
        (loss.part, "") for loss in losses.lost if not loss.field
    }
    for d in different:
        assert (d.part, d.field) in said or (d.part, "") in said or d.name == "world"
    if (kind.__name__, field) not in CANNOT:
        assert [str(x) for x in losses.lost] == []


@pytest.mark.parametrize(("kind", "field", "made"), VARIANTS, ids=ids)
def test_mjcf_holds_it_or_says_so(kind, field, made):
    if (kind.__name__, field) in SAME | ALIKE:
        return
    plain_losses, losses = LossLog(), LossLog()
    plain = text_of(robot(), FORMATS[".xml"], plain_losses)
    text = text_of(made, FORMATS[".xml"], losses)
    assert text != plain or losses.lost != plain_losses.lost or losses.notes != plain_losses.notes
    shown = " ".join(str(x) for x in (*losses.lost, *losses.notes))
    written = text != with_default(kind, field)
    assert written or field in shown or losses.lost, f"{kind.__name__}.{field} is dropped silently"


def with_default(kind, field):
    """The text of the same robot with this field at its default."""
    from tests.writing.every_field import PLAIN

    plain = PLAIN.get(kind, {})
    try:
        return text_of(PLACES[kind](kind(**plain)), FORMATS[".xml"], LossLog())
    except (TypeError, gw.GearwrightError):
        return ""
