"""MuJoCo Warp on the same robots and the same GPU: the peer of `benchmarks.gpu`.

    python -m benchmarks.gpu_warp prepare FOLDER     anywhere with MuJoCo: models as MJCF
    python -m benchmarks.gpu_warp measure FOLDER     with a GPU, mujoco and mujoco_warp

The driven arm's motors, limits and friction are MuJoCo's nearest (`peers/mujoco_driven.py`), its equalities and limits
as stiff as it takes. Of several numbers of worlds and solver iterations, the fastest counts, converged or not.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

WORLDS = (8192, 65536, 262144)
STEPS = 10  # of one graph
SECONDS = 1.0


def prepare(folder: Path) -> None:
    """Writes NAME.mjb for each robot."""
    import mujoco

    from benchmarks.bench.robots import driven_robots, robots
    from benchmarks.peers.mujoco_bounded import BoundedMuJoCo
    from benchmarks.peers.mujoco_driven import DrivenMuJoCo

    folder.mkdir(parents=True, exist_ok=True)
    arm, driven = robots(["arm"])[0], driven_robots()[0]
    for name, contestant in (
        ("arm", BoundedMuJoCo(arm, 1e-3, "exact")),
        ("driven_arm", DrivenMuJoCo(driven, 1e-3, "exact")),
    ):
        model: Any = contestant.model
        if name == "arm":
            model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
        mujoco.mj_saveModel(model, str(folder / f"{name}.mjb"), None)
        print(name, model.nv, "freedoms", model.nu, "motors", model.neq, "equalities")


def measure(folder: Path) -> None:
    """Prints the steps a second of every setting, and the best of each integrator."""
    import mujoco

    for file in sorted(folder.glob("*.mjb")):
        model = mujoco.MjModel.from_binary_path(str(file))
        for integrator in ("EULER", "RK4"):
            model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
            best = max(_rate(model, worlds, most) for most in (100, 4) for worlds in WORLDS)
            print(json.dumps({"case": file.stem, "integrator": integrator, "steps_per_s": f"{best:.3e}"}), flush=True)


def _rate(model: Any, worlds: int, iterations: int) -> float:
    import mujoco
    import mujoco_warp
    import numpy as np
    import warp

    model.opt.iterations = iterations
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    m, d = mujoco_warp.put_model(model), mujoco_warp.put_data(model, data, nworld=worlds)
    start = d.qpos.numpy()
    d.qpos.assign(start + np.random.default_rng(0).uniform(-0.3, 0.3, start.shape).astype(np.float32))
    for _ in range(2):
        mujoco_warp.step(m, d)
    with warp.ScopedCapture() as captured:
        for _ in range(STEPS):
            mujoco_warp.step(m, d)
    warp.capture_launch(captured.graph)
    warp.synchronize()
    begun, made = time.perf_counter(), 0
    while time.perf_counter() - begun < SECONDS:
        warp.capture_launch(captured.graph)
        warp.synchronize()
        made += STEPS
    return worlds * made / (time.perf_counter() - begun)


if __name__ == "__main__":
    {"prepare": prepare, "measure": measure}[sys.argv[1]](Path(sys.argv[2]))
