"""Environments inside the step: delays, noise, pushes, goals, starts; the same on the CPU and in the CUDA text."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler import backends
from tests.compiler.cuda_on_cpu import CudaOnCpu, gpu
from tests.tolerances import ROUNDING

COMMON = {
    "observe": ("right_finger.position", "motor.velocity"),
    "act": {"motor": (-0.01, 0.01)},
    "reward": lambda obs, act: obs[:, 0] - 0.1 * act[:, 0] ** 2,
    "reset": {"right_finger": (0.01, 0.02)},
    "period": 0.01,
    "duration": 0.1,
    "integrator": "euler",
}


@pytest.fixture(params=["cpu", "cuda"])
def device(request, monkeypatch):
    if not gpu():
        monkeypatch.setitem(backends.BACKENDS, "cuda", CudaOnCpu)
    return request.param


def made(batch=8, **changes):
    return gw.VectorEnv("gripper", batch=batch, **COMMON | changes)


def actions(count, batch=8, seed=1):
    return np.random.default_rng(seed).uniform(-0.01, 0.01, (count, batch, 1))


def host(array):
    return array.get() if hasattr(array, "get") else np.asarray(array)


def rolled(env, count=25, seed=3):
    """Observations, rewards, ends and cuts of some actions."""
    rows = [[host(env.reset(seed=seed)[0])]]
    for action in actions(count, env.num_envs):
        rows.append([host(x) for x in env.step(action)[:4]])
    return rows


EVERYTHING = {
    "goal": {"width": (0.01, 0.03)},
    "reward": lambda sim: -abs(sim.position["right_finger"] - sim.goal["width"]) - 0.01 * sim.action[0] ** 2,
    "done": lambda sim: sim.position["right_finger"] > 0.03,
    "randomize": {"motor.stall_torque": (0.02, 0.05)},
    "noise": {"motor.velocity": 0.01},
    "push": {"right_finger": 0.05},
    "push_interval": 0.05,
    "command_delay": (0.002, 0.013),
    "sensor_delay": (0.0, 0.015),
    "normalized": True,
}


@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "disabled"])
def test_the_gpu_has_the_numbers_of_the_cpu(monkeypatch, autoreset):
    if not gpu():
        monkeypatch.setitem(backends.BACKENDS, "cuda", CudaOnCpu)
    here, there = (rolled(made(device=d, autoreset=autoreset, **EVERYTHING)) for d in ("cpu", "cuda"))
    for a, b in zip(here, there, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=ROUNDING, atol=ROUNDING)


def test_a_seed_decides_everything(device):
    first, again, other = (rolled(made(device=device, **EVERYTHING), seed=s) for s in (3, 3, 4))
    assert all(np.array_equal(x, y) for a, b in zip(first, again, strict=True) for x, y in zip(a, b, strict=True))
    assert not np.array_equal(first[0][0], other[0][0])


def test_a_robot_does_not_depend_on_the_others():
    """Robot 2 gets other actions: nothing changes for the rest."""
    env = made(batch=8, **EVERYTHING)
    given = actions(25)
    runs = []
    for change in (0.0, 0.004):
        env.reset(seed=1)
        runs.append([])
        for action in given:
            changed = action.copy()
            changed[2] += change
            runs[-1].append(env.step(changed)[0])
    a, b = np.array(runs)
    others = np.arange(8) != 2
    assert np.array_equal(a[:, others], b[:, others]) and not np.array_equal(a[:, 2], b[:, 2])


def test_commands_come_late(device):
    """A delay of 23 steps, with ten steps per action: as if the commands were given by hand, 23 steps later."""
    env = made(device=device, command_delay=0.023, reset={"right_finger": 0.015}, duration=1.0)
    env.reset(seed=0)
    given = actions(6)
    seen = [host(env.step(a)[0]) for a in given]
    sim = gw.compile("gripper", batch=8, integrator="euler")
    sim.reset(position={"right_finger": 0.015})
    for k in range(60):
        action = given[(k - 23) // 10][:, 0] if k >= 23 else np.zeros(8)
        sim.step(command={"motor": action})
        if k % 10 == 9:
            np.testing.assert_allclose(seen[k // 10][:, 0], sim.position["right_finger"], rtol=1e-12)


def test_observations_come_late(device):
    """By one and a half periods: between two earlier observations."""
    late, now = (rolled(made(device=device, sensor_delay=d, duration=1.0), 6) for d in (0.015, 0.0))
    for k in range(2, 7):
        np.testing.assert_allclose(late[k][0], 0.5 * (now[k - 1][0] + now[k - 2][0]), rtol=1e-12, atol=1e-15)
    for k in range(7):
        if k:
            np.testing.assert_array_equal(late[k][1], now[k][1])  # rewards are of the present


def test_noise_has_its_standard_deviation():
    env = made(batch=2048, noise={"motor.velocity": 0.2}, duration=1.0)
    clean = made(batch=2048, duration=1.0)
    difference = np.concatenate([a[0] - b[0] for a, b in zip(rolled(env, 5), rolled(clean, 5), strict=True)])
    assert np.abs(difference[:, 0]).max() == 0.0
    assert difference[:, 1].std() == pytest.approx(0.2, rel=0.03) and abs(difference[:, 1].mean()) < 0.01


def test_pushes_are_as_frequent_and_as_strong_as_asked():
    env = made(batch=4096, push={"right_finger": (0.1, 0.3)}, push_interval=0.1, observe=("right_finger.velocity",),
               reset={"right_finger": 0.015}, dt=1e-5, period=1e-5, duration=1.0)  # fmt: skip
    before = env.reset(seed=0)[0][:, 0]
    jumps = []
    for _ in range(200):
        now = env.step(np.zeros((4096, 1)))[0][:, 0]
        jumps.append(now - before)
        before = now
    jumps = np.array(jumps)
    pushed = jumps > 0.05
    assert pushed.mean() == pytest.approx(1e-4, rel=0.5)
    assert jumps[pushed].min() > 0.09 and jumps[pushed].max() < 0.31


def test_goals_and_parameters_are_of_the_episode(device):
    env = made(batch=64, device=device, goal={"width": (0.01, 0.03)}, reward=lambda sim: sim.goal["width"],
               randomize={"motor.stall_torque": (0.02, 0.05)})  # fmt: skip
    rows = rolled(env, 21)
    widths = np.array([r[1] for r in rows[1:]])
    assert (widths[:10] == widths[0]).all() and (widths[10:20] == widths[10]).all()
    assert 0.01 <= widths.min() < 0.012 and 0.028 < widths.max() <= 0.03
    assert not np.array_equal(widths[0], widths[10])
    torques = env.sim.parameters["motor.stall_torque"]
    assert torques.min() >= 0.02 and torques.max() <= 0.05 and np.ptp(torques) > 0.02


def test_functions_of_one_argument_read_the_robot():
    def observe(sim):
        pose = sim.pose["left_finger_link"]
        return np.array([sim.position["left_finger"], pose[0, 3], sim.actuator["motor"].torque, sim.time])

    env = made(observe=(observe, "energy"), reward=lambda sim: sim.signal("energy") + sim.last_action[0], duration=1.0)
    env.reset(seed=0)
    given = actions(3)
    for action in given:
        obs, reward, *_ = env.step(action)
    sim = env.sim
    pose = gw.load("gripper").forward_kinematics({"right_finger": float(sim.position["right_finger"][5])})
    assert obs[5, 1] == pytest.approx(pose["left_finger_link"][0, 3])
    assert obs[:, 0] == pytest.approx(sim.position["left_finger"])
    assert obs[:, 2] == pytest.approx(sim.actuator["motor"].torque) and obs[:, 3] == pytest.approx(0.03)
    assert obs[:, 4] == pytest.approx(sim.energy) and reward == pytest.approx(sim.energy + given[1][:, 0])


def test_what_is_changed_in_the_simulation_holds():
    env = made(duration=1.0)
    env.reset(seed=0)
    env.step(np.zeros((8, 1)))
    env.sim.reset(position={"right_finger": 0.025})
    obs = env.step(np.zeros((8, 1)))[0]
    assert obs[:, 0] == pytest.approx(0.025, abs=1e-3)


def test_a_function_that_cannot_be_traced_is_called_by_python():
    def reward(obs, act):
        return [float(row[0]) for row in obs]  # Python's floats

    traced, called = rolled(made(reward=lambda obs, act: obs[:, 0])), rolled(made(reward=reward))
    for a, b in zip(traced, called, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)


def test_on_a_gpu_functions_must_be_traced(monkeypatch):
    monkeypatch.setitem(backends.BACKENDS, "cuda", CudaOnCpu)
    with pytest.raises(gw.TracingError, match="reward"):
        made(device="cuda", reward=lambda obs, act: [float(row[0]) for row in obs])


ROD = """<sdf version="1.11"><model name="rod"><link name="rod"/>
  <joint name="pivot" type="continuous"><parent>world</parent><child>rod</child><axis><xyz>0 0 1</xyz></axis></joint>
  <actuator name="motor" type="electric_motor"><joint>pivot</joint><torque_limit>2</torque_limit></actuator>
</model></sdf>"""


def test_a_robot_that_diverges_begins_anew(device):
    """A push of 1e8 rad/s is more than any robot survives."""
    env = gw.VectorEnv(gw.loads(ROD), batch=64, observe=("pivot.position",), act=("motor",), device=device,
                       reward=lambda obs, act: obs[:, 0], reset={"pivot": (0.01, 0.02)}, period=0.01, duration=1.0,
                       push={"pivot": (1e8, 2e8)}, push_interval=0.1, integrator="euler")  # fmt: skip
    env.reset(seed=0)
    failed = 0
    for _ in range(5):
        obs, reward, ended, cut, info = (host(x) if not isinstance(x, dict) else x for x in env.step(np.zeros((64, 1))))
        assert (reward[ended] == 0.0).all() and np.isfinite(host(info["final_obs"])).all() and not cut.any()
        assert obs.min() >= 0.01 and obs.max() <= 0.02
        failed += ended.sum()
    assert 10 < failed < 70  # a tenth of the robots in every period


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_arrays_of_a_library(device, library):
    torch = pytest.importorskip("torch") if library == "torch" else None
    env = made(device=device, arrays=library, precision="single")
    obs, _ = env.reset(seed=0)
    action = torch.zeros((8, 1), requires_grad=True) if torch else np.zeros((8, 1))
    obs, reward, ended, cut, _ = env.step(action)
    kind = torch.Tensor if torch else np.ndarray
    assert all(isinstance(x, kind) for x in (obs, reward, ended, cut)) and obs.shape == (8, 2)
    before = obs + 0.0
    env.step(action)
    assert bool((obs == before).all())  # a copy: the next step does not change it


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"push": {"right_fingr": 1.0}}, "did you mean 'right_finger'"),
        ({"command_delay": -0.1}, "command_delay is a time"),
        ({"arrays": "tensorflow"}, "no library"),
        ({"observe": lambda sim: sim.nothing}, "there is no 'nothing' to read"),
        ({"reward": lambda sim: sim.goal["x"]}, "goal"),
        ({"noise": {"left_finger.velocity": 0.1}}, "observation"),
    ],
)
def test_mistakes(changes, message):
    with pytest.raises(gw.GearwrightError, match=message):
        made(**changes)
