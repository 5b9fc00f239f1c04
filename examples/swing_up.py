"""A policy search on a batch: a pendulum whose motor is too weak to lift it learns to swing up, and to stay there.

Run `python examples/swing_up.py [FOLDER]`; it leaves swing_up.png there, or in out/.

Every robot of the batch tries a small policy of its own for one episode: six numbers that say how to pump, how to
balance, and where to change from one to the other. The cross-entropy method keeps the best tenth, and draws the next
generation around them. Masses and friction are different in every episode.
"""

import sys
from pathlib import Path
from time import perf_counter

import matplotlib as mpl
import numpy as np

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT / "src"))  # so that it runs from a checkout that is not installed

import gearwright as gw  # noqa: E402

mpl.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

PENDULUM = """<sdf version="1.11"><model name="pendulum">
  <link name="rod"><inertial><pose>0 0 -0.5 0 0 0</pose><mass>1</mass>
    <inertia><ixx>0.083</ixx><iyy>0.083</iyy><izz>0.001</izz></inertia></inertial></link>
  <joint name="pivot" type="continuous"><parent>world</parent><child>rod</child>
    <axis><xyz>0 1 0</xyz><dynamics><damping>0.02</damping></dynamics></axis></joint>
  <actuator name="motor" type="electric_motor"><joint>pivot</joint><torque_limit>2.0</torque_limit></actuator>
</model></sdf>"""  # gravity pulls with up to 4.9 N·m
ROBOTS, TRIES, GENERATIONS, KEPT = 1024, 8, 40, 12  # eight robots try a policy
NUMBERS = 6  # of a policy
UPRIGHT = 0.25  # [rad] from the top, at the end: solved


def reward(obs, act):
    """Height, from −1 to 1, and a bonus for standing still at the top."""
    height = -obs[:, 0]
    still = np.exp(-8.0 * (1.0 - height) - 0.3 * obs[:, 2] ** 2)
    return height + 3.0 * still


def environment() -> gw.VectorEnv:
    return gw.VectorEnv(
        gw.loads(PENDULUM), batch=ROBOTS, observe=("cos(pivot.position)", "sin(pivot.position)", "pivot.velocity"),
        act=("motor",), reward=reward, reset={"pivot": (-0.3, 0.3), "pivot.velocity": (-0.2, 0.2)},
        randomize={"rod.mass": (0.9, 1.1), "pivot.damping": (0.0, 0.04)}, period=0.04, duration=8.0, dt=4e-3,
    )  # fmt: skip


def policy(weights, obs):
    """Each robot's policy on what it sees: pumps until its energy is enough, and balances by linear feedback above."""
    pump, soft, kinetic, angle, speed, change = weights.T
    height, velocity = -obs[:, 0], obs[:, 2]
    missing = 1.0 - height - np.abs(kinetic) * velocity**2
    below = pump * np.tanh(soft * velocity * missing)
    from_top = np.arctan2(-obs[:, 1], height)
    return np.where(height > change, angle * from_top + speed * velocity, below)[:, None]


def episode(env, weights, seed):
    """Return of each robot, and its angles from the top over time."""
    obs, _ = env.reset(seed=seed)
    total, angles = np.zeros(len(obs)), []
    for _ in range(env.task.length):
        obs, rewards, _, _, info = env.step(policy(weights, obs))
        seen = info.get("final_obs", obs)
        total += rewards / env.task.length
        angles.append(np.arctan2(seen[:, 1], -seen[:, 0]))
    return total, np.array(angles)


def search(seed: int = 1):
    """Means of the generations, and the share of robots that stood upright for the last second."""
    env, rng = environment(), np.random.default_rng(seed)
    mean, spread = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.5]), np.array([2.0, 1.0, 0.1, 8.0, 3.0, 0.4])
    curve = []
    for generation in range(GENERATIONS):
        weights = mean + spread * rng.normal(size=(ROBOTS // TRIES, NUMBERS))
        total, angles = episode(env, np.repeat(weights, TRIES, axis=0), seed=generation)
        total = total.reshape(-1, TRIES).mean(axis=1)
        best = np.argsort(total)[-KEPT:]
        mean = 0.2 * mean + 0.8 * weights[best].mean(axis=0)
        spread = 0.2 * spread + 0.8 * weights[best].std(axis=0)
        curve.append((total.mean(), total[best].mean(), total.max(), upright(angles).mean()))
        if curve[-1][3] > 0.95:
            break
    return env, mean, np.array(curve)


def upright(angles):
    """Which robots were within `UPRIGHT` of the top for the last second."""
    return (np.abs(angles[-25:]) < UPRIGHT).all(axis=0)


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out")
    out.mkdir(parents=True, exist_ok=True)
    begun = perf_counter()
    env, mean, curve = search()
    took = perf_counter() - begun
    _, angles = episode(env, np.repeat(mean[None], ROBOTS, axis=0), seed=1000)
    share = upright(angles).mean()
    robots = ROBOTS * len(curve)
    print(f"{len(curve)} generations, {robots:,} episodes in {took:.1f} s")
    print(f"the mean policy on {ROBOTS} new robots: {100 * share:.1f} % stand upright for the last second")
    draw(curve, angles, out / "swing_up.png")
    print(f"wrote {out / 'swing_up.png'}")


def draw(curve, angles, path: Path) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 3.6), layout="constrained")
    for i, (name, colour) in enumerate([("mean", "#0072b2"), ("best tenth", "#009e73"), ("best", "#d55e00")]):
        left.plot(curve[:, i], color=colour, label=name)
    left.set(title="Learning curve", xlabel="generation", ylabel="mean reward of an episode")
    left.legend(frameon=False)
    times = 0.04 * np.arange(1, len(angles) + 1)
    right.plot(times, np.degrees(np.abs(angles[:, ::64])), color="#0072b2", alpha=0.35, linewidth=0.9)
    right.set(title="The learned policy on sixteen robots", xlabel="time [s]", ylabel="from the top [°]")
    for ax in (left, right):
        ax.grid(color="#e3e6eb")
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        ax.margins(x=0)
    figure.savefig(path, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
