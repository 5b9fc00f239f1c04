"""The public names are a contract: scripts outside this repository use them."""

import json
import subprocess
import sys

import gearwright as gw
from tests.acceptance.forked import Script, run_scripts

NAMES = {
    "Backlash",
    "BeyondLimitsWarning",
    "BranchWarning",
    "CacheWarning",
    "CombinedControllers",
    "CompileError",
    "ActivatedActuator",
    "Actuator",
    "ContactSensor",
    "AffineActuator",
    "CustomActuator",
    "CustomSensor",
    "CustomJointMap",
    "CustomTransmission",
    "Cogging",
    "DCMotor",
    "Dahl",
    "Friction",
    "LuGre",
    "MaxwellSlip",
    "ElasticGear",
    "ElectricMotor",
    "Encoder",
    "Env",
    "VectorEnv",
    "Imu",
    "LearnedActuator",
    "LimitSwitch",
    "PneumaticCylinder",
    "PositionServo",
    "Supply",
    "Solenoid",
    "Diagnostic",
    "DifferentialTransmission",
    "Drive",
    "ForceTorque",
    "FourBarLinkage",
    "FourBarLinkageTransmission",
    "GearwrightError",
    "Keyframe",
    "LinearMap",
    "LoadError",
    "LoadWarning",
    "robots",
    "Losses",
    "Mechanism",
    "MockHardware",
    "ModelError",
    "NotSimulatedWarning",
    "PID",
    "PIDActuator",
    "Policy",
    "Recording",
    "RecordingWarning",
    "SweepWarning",
    "Surface",
    "World",
    "RodLinkage",
    "Series",
    "SimpleTransmission",
    "Simulation",
    "SimulationError",
    "SpatialTendon",
    "TracingError",
    "UnsettledWarning",
    "VelocityLimitWarning",
    "build",
    "compile",
    "convert",
    "diff",
    "export_c",
    "export_fmu",
    "inverse_kinematics",
    "NotReachedError",
    "Trajectory",
    "render",
    "load",
    "loads",
    "migrate",
    "open",
    "save",
    "serve",
    "servos",
    "sweep",
    "view",
    "plot_reach",
    "excite",
    "Log",
    "identify",
    "read_log",
    "with_servos",
}


def test_the_export_list():
    assert set(gw.__all__) == NAMES
    for name in NAMES:
        assert getattr(gw, name) is not None


def test_errors_have_one_base():
    for error in (gw.LoadError, gw.ModelError, gw.CompileError, gw.SimulationError):
        assert issubclass(error, gw.GearwrightError)


def test_importing_is_light():
    """Only what is used is imported: neither CasADi nor LLVM, nor even NumPy."""
    code = "import sys, gearwright; print(sorted({'casadi', 'llvmlite', 'numpy', 'rich', 'typer'} & set(sys.modules)))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_loading_imports_no_compiler():
    code = (
        'import sys, gearwright as gw; gw.loads(\'<robot name="r"><link name="a"/></robot>\');'
        "print(sorted({'casadi', 'llvmlite', 'matplotlib', 'lxml'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


UNUSED = ("formats.sdf.worlds", "formats.sdf.scope", "formats.ros2_control.tags", "model.hardware.hardware",
          "model.sensors.body_sensors", "model.actuators.dc_motor", "model.actuators.linear_actuators",
          "model.transmissions.linkage")  # fmt: skip


def test_loading_a_urdf_imports_what_it_reads():
    """A seventh of the first load: readers of SDFormat and ros2_control, and kinds that the file does not name."""
    code = (
        'import json, sys, gearwright as gw; gw.loads(\'<robot name="r"><link name="a"/></robot>\');'
        "print(json.dumps([*sys.modules]))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {f"gearwright.{name}" for name in UNUSED} & set(json.loads(said.stdout))


def test_compile_is_the_function_whatever_was_touched_before(tmp_path):
    """The package `compiler` and the function `compile` are apart. One name of each module: others import the same."""
    names = {getattr(getattr(gw, name), "__module__", name): name for name in sorted(NAMES)}
    touches = {name: f"gw.{name}" for name in names.values()}
    touches |= {name: f"import gearwright.{name}" for name in ("sim", "compiler")}
    scripts = {
        name: Script(f"import gearwright as gw\n{touch}\nassert callable(gw.compile)", "touch.py")
        for name, touch in touches.items()
    }
    done = run_scripts(scripts, tmp_path, imported=("numpy", "casadi"))
    assert {name: result.err for name, result in done.items() if result.code != 0} == {}
    assert len(done) >= 15
