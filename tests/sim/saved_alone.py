"""Run in a process of its own: opens a saved simulation where neither CasADi nor LLVM can be imported.

python -m tests.sim.saved_alone FILE RESULTS
"""

import sys

FORBIDDEN = {"casadi", "llvmlite", "yaml", "lxml", "scipy", "polars", "typer", "rich", "matplotlib", "gymnasium"}
ROOMS = ("gearwright.formats", "gearwright.dynamics", "gearwright.cli")


class Forbid:
    """What is not there cannot be imported."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in FORBIDDEN or name.startswith(ROOMS):
            raise ImportError(f"{name} is not installed here")


def driven(sim):
    """The same motions for both sides."""
    np = sys.modules["numpy"]
    shape = () if sim.batch == 1 else (sim.batch,)
    ramp = 0.2 * np.linspace(0.5, 1.0, sim.batch).reshape(shape)
    found = {}
    sim.reset(position={"motor.rotor": 0.3} if "motor.rotor" in sim.position else {})
    if sim.parameters:
        sim.set_parameters({name: value * (1 + ramp) for name, value in dict(sim.parameters).items()})
    if sim.layout.commanded and not sim.layout.controlled("command"):
        sim.step(command=dict.fromkeys(sim.robot.actuators, ramp), n=3)
    sim.step(effort={sim.coordinates[0]: ramp}, n=20)
    rec = sim.run(0.02, every=4)
    found["record"] = np.stack([np.asarray(x) for x in rec.position.values()])
    found["recorded energy"], found["time"] = np.asarray(rec.energy), np.asarray(sim.time)
    for name in ("position", "velocity", "acceleration", "sensor", "coupling_error", "coupling_effort", "memory"):
        found[name] = np.array([np.asarray(x) for x in dict(getattr(sim, name)).values()])
    found["reaction"] = np.stack([np.asarray(w.force) for w in sim.reaction.values()])
    found["inverse"] = np.stack([np.asarray(x) for x in sim.inverse_dynamics().values()])
    found["torque"] = np.array([np.asarray(a.torque) for a in dict(sim.actuator).values()])
    found["turned"] = np.array([np.asarray(a.position) for a in dict(sim.actuator).values()])
    found |= {"mass": sim.mass_matrix(), "bias": sim.bias(), "energy": np.asarray(sim.energy), "state": sim.state}
    found["jacobian"] = sim.jacobian(list(sim.robot.links)[-1])
    return found


if __name__ == "__main__":
    sys.meta_path.insert(0, Forbid())
    import numpy as np

    import gearwright as gw

    for file, results in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        np.savez(results, **driven(gw.open(file)))
    assert not FORBIDDEN & set(sys.modules)
