"""A quadruped learns to walk, by PPO in PyTorch: 12 motors with their torque-speed curves, gears and late commands.

    python examples/walk.py [--device cuda] [--robots 8192] [--seed 1] [--out out]

The robot has the dimensions of Unitree's A1. A policy sees what the robot would know: its speed and turning rate, the
direction of gravity, angles and speeds of the joints, its last action, and the speed that it is to walk with. It asks
for joint angles fifty times a second. Everything but the networks is one kernel: motors, contacts, rewards and resets.

The trained policy is written as walk.npz and, if the package onnx is installed, walk.onnx. `gearwright.Policy` runs it
inside the compiled step.
"""

import argparse
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT / "src"))  # so that it runs from a checkout that is not installed

import gearwright as gw  # noqa: E402

LEGS = {"FL": (1, 1), "FR": (1, -1), "RL": (-1, 1), "RR": (-1, -1)}
STANDING = {"hip": 0.0, "thigh": 0.8, "calf": -1.5}  # [rad]
HEIGHT = 0.31  # [m] of the trunk at the start
RANGE = 0.3  # [rad] of an action of 1, about the standing pose
GEAR = 9.1  # of the joints' motors
STALL_TORQUE, NO_LOAD_SPEED = 33.5 / GEAR, 21.0 * GEAR  # [N·m, rad/s] of a rotor
STIFFNESS, DAMPING = 40.0 / GEAR**2, 1.0 / GEAR**2  # [N·m/rad, N·m·s/rad] of its drive
DT, STEPS = 0.005, 4  # [s], steps of an action

LINK = """<link name="{name}"><inertial><origin xyz="{at}"/><mass value="{mass}"/>
  <inertia ixx="{i[0]}" iyy="{i[1]}" izz="{i[2]}" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>"""
JOINT = """<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/>
  <axis xyz="{axis}"/>{limit}<dynamics damping="0.2"/></joint>"""
SHAPE = '<collision name="{name}"><geometry><sphere radius="0.02"/></geometry></collision>'


def quadruped() -> gw.Mechanism:
    """A trunk on four legs of three joints, each with a motor behind a gear."""
    parts = [LINK.format(name="trunk", at="0 0 0", mass=6.0, i=(0.0158, 0.0378, 0.0457), shape="")]
    for leg, (front, left) in LEGS.items():
        upper = (("hip", "trunk", f"{0.1805 * front} {0.047 * left} 0", "1 0 0", 0.696, "0 0 0", (5e-4, 7e-4, 5e-4)),
                 ("thigh", f"{leg}_hip", f"0 {0.0838 * left} 0", "0 1 0", 1.013, "0 0 -0.027", (5e-3, 5e-3, 1e-3)),
                 ("calf", f"{leg}_thigh", "0 0 -0.2", "0 1 0", 0.226, "0 0 -0.13", (3e-3, 3e-3, 3e-5)))  # fmt: skip
        for name, parent, at, axis, mass, centre, inertia in upper:
            own = f"{leg}_{name}"
            parts.append(LINK.format(name=own, at=centre, mass=mass, i=inertia, shape=""))
            limit = '<limit lower="-2.7" upper="2.7" effort="33.5" velocity="21"/>'
            parts.append(JOINT.format(name=f"{own}_joint", type="revolute", parent=parent, child=own, at=at, axis=axis,
                                      limit=limit))  # fmt: skip
        foot = SHAPE.format(name=f"{leg}_foot")
        parts.append(LINK.format(name=f"{leg}_foot", at="0 0 0", mass=0.06, i=(1e-5, 1e-5, 1e-5), shape=foot))
        parts.append(f'<joint name="{leg}_foot_joint" type="fixed"><parent link="{leg}_calf"/>'
                     f'<child link="{leg}_foot"/><origin xyz="0 0 -0.2"/></joint>')  # fmt: skip
    robot = gw.loads(f'<robot name="quadruped">{"".join(parts)}</robot>', base="floating")
    for leg in LEGS:
        for name in STANDING:
            motor, joint = f"{leg}_{name}", f"{leg}_{name}_joint"
            robot = robot.with_actuator(
                gw.ElectricMotor(name=motor, command="position", stall_torque=STALL_TORQUE, rotor_inertia=6e-5,
                                 no_load_speed=NO_LOAD_SPEED, stiffness=STIFFNESS, damping_gain=DAMPING)
            )  # fmt: skip
            gear = gw.SimpleTransmission(reduction=GEAR)
            robot = robot.with_transmission(f"{motor}_gear", gear, actuators=[motor], joints=[joint])
    return robot


JOINTS = tuple(f"{leg}_{name}_joint" for leg in LEGS for name in STANDING)
MOTORS = tuple(f"{leg}_{name}" for leg in LEGS for name in STANDING)
POSE = np.array([*STANDING.values()] * len(LEGS))
RANGES = {m: (GEAR * (p - RANGE), GEAR * (p + RANGE)) for m, p in zip(MOTORS, POSE.tolist(), strict=True)}
STARTS = {name: (p - 0.1, p + 0.1) for name, p in zip(JOINTS, POSE.tolist(), strict=True)}


def body_motion(sim):
    """Velocity and turning rate in the trunk's axes, and the direction of gravity."""
    R = sim.pose["trunk"][:3, :3]
    v, w = (np.array([sim.velocity[f"base.{axis}"] for axis in axes]) for axes in (("x", "y", "z"), ("rx", "ry", "rz")))
    return R.T @ v, w, -R[2]


def observe(sim):
    """What the robot's own sensors and an estimate of its speed would tell."""
    speed, turning, gravity = body_motion(sim)
    angles = np.array([sim.position[name] for name in JOINTS]) - POSE
    speeds = np.array([sim.velocity[name] for name in JOINTS])
    wanted = [sim.goal["speed"]]
    return np.concatenate([speed, 0.25 * turning, gravity, wanted, angles, 0.05 * speeds, asked(sim.action)])


def asked(action):
    """Angles of joints that motors are to hold, as the policy's numbers."""
    return (action / GEAR - POSE) / RANGE


def reward(sim):
    """For walking with the goal's speed, straight ahead, level, and smoothly."""
    v, w, gravity = body_motion(sim)
    torque = np.array([sim.actuator[name].torque for name in MOTORS])
    off = (v[0] - sim.goal["speed"]) ** 2 + v[1] ** 2
    change = asked(sim.action) - asked(sim.last_action)
    return 0.02 * (
        2.0 * np.exp(-off / 0.1) + 0.5 * np.exp(-w[2] ** 2 / 0.25) - 2.0 * v[2] ** 2 - 0.05 * (w[0] ** 2 + w[1] ** 2)
        - 2.0 * (gravity[0] ** 2 + gravity[1] ** 2) - 10.0 * (sim.position["base.z"] - 0.29) ** 2
        - 0.02 * np.sum(torque**2) - 0.01 * np.sum(change**2)
    )  # fmt: skip


def fallen(sim):
    return (sim.position["base.z"] < 0.16) | (sim.pose["trunk"][2, 2] < 0.6)


def environment(batch: int, device: str = "cpu", **changes) -> gw.VectorEnv:
    """Robots of different mass, friction and delay, which are pushed every now and then."""
    given = {
        "observe": observe, "reward": reward, "done": fallen, "normalized": True, "dt": DT, "integrator": "euler",
        "act": RANGES, "reset": {"base.z": (HEIGHT, HEIGHT + 0.02), **STARTS},
        "goal": {"speed": (0.4, 1.0)}, "randomize": {"trunk.mass": (5.0, 7.5)}, "noise": 0.02,
        "push": {"base.x": 0.4, "base.y": 0.4}, "push_interval": 5.0, "command_delay": (0.0, 0.01),
        "period": STEPS * DT, "duration": 10.0, "ground": 0.8, "contacts": [("*_foot", "ground")], "switches": 5,
    }  # fmt: skip
    return gw.VectorEnv(quadruped(), batch=batch, device=device, **given | changes)


# --- learning ---------------------------------------------------------------------------------------------------------

HORIZON, EPOCHS, BATCHES = 24, 4, 4  # actions of a rollout, passes over it, parts of a pass
DISCOUNT, TRACE, CLIP, ENTROPY, WANTED_CHANGE = 0.99, 0.95, 0.2, 0.005, 0.01
TARGET = 0.044  # mean reward of an action; 0.05 would be the best, without noise and pushes


class Networks:
    """A policy, the logarithms of its spread, and a critic."""

    def __init__(self, torch, observations: int, actions: int, device):
        def mlp(outputs):
            sizes, layers = (observations, 128, 128, 64), []
            for a, b in pairwise(sizes):
                layers += [torch.nn.Linear(a, b), torch.nn.ELU()]
            return torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-1], outputs)).to(device)

        self.policy, self.critic = mlp(actions), mlp(1)
        with torch.no_grad():
            self.policy[-1].weight *= 0.01
            self.policy[-1].bias *= 0.0
        self.spread = torch.nn.Parameter(torch.full((actions,), -0.5, device=device))
        self.weights = [*self.policy.parameters(), *self.critic.parameters(), self.spread]

    def chance(self, mean, action):
        """Logarithm of the probability density of actions, but for a constant."""
        return (-0.5 * ((action - mean) / self.spread.exp()).square() - self.spread).sum(-1)


def captured(torch, work, device):
    """The work as a function. On a GPU it becomes one launch, a CUDA graph, from the second call on."""
    if device.type != "cuda":
        return work
    graph, stream, calls = torch.cuda.CUDAGraph(), torch.cuda.Stream(), []

    def run():
        if not calls:
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                work()
            torch.cuda.current_stream().wait_stream(stream)
        elif len(calls) == 1:
            with torch.cuda.graph(graph, stream=stream):
                work()
        if calls:
            graph.replay()
        calls.append(run)

    return run


def train(env, seed: int = 1, iterations: int = 300, seconds: float = 1e9, target: float = 1.0, report=print):
    """Proximal policy optimisation (Schulman et al. 2017); returns the policy and the curve of mean rewards.

    It ends after so many iterations or seconds, or as soon as the mean reward is the target.
    """
    import torch

    torch.manual_seed(seed)
    torch.set_float32_matmul_precision("high")
    robots, m = env.num_envs, env.single_action_space.shape[0]
    seen, _ = env.reset(seed=seed)
    device, n = seen.device, seen.shape[1]
    networks = Networks(torch, n, m, device)
    rate, on_gpu = torch.tensor(1e-3, device=device), device.type == "cuda"
    optimiser = torch.optim.Adam(networks.weights, lr=rate, fused=True, capturable=on_gpu)
    shapes = {"obs": (n,), "final": (n,), "action": (m,), "reward": (), "ended": (), "cut": ()}
    kept = {name: torch.zeros((HORIZON, robots, *shape), device=device) for name, shape in shapes.items()}
    obs, action = seen.float().clone(), torch.zeros((robots, m), device=device)
    order = torch.zeros((EPOCHS, HORIZON * robots), dtype=torch.int64, device=device)

    @torch.no_grad()
    def act():
        mean = networks.policy(obs)
        action.copy_(mean + networks.spread.exp() * torch.randn_like(mean))

    act = captured(torch, act, device)
    learn = captured(torch, lambda: improve(torch, networks, optimiser, kept, obs, order), device)
    curve, begun = [], perf_counter()
    for iteration in range(iterations):
        for k in range(HORIZON):
            act()
            seen, reward, ended, cut, info = env.step(action)
            row = {"obs": obs, "final": info.get("final_obs", seen), "action": action, "reward": reward,
                   "ended": ended, "cut": cut}  # fmt: skip
            for name, values in row.items():
                kept[name][k] = values
            obs.copy_(seen)
        for own in order:
            torch.randperm(HORIZON * robots, out=own)
        learn()
        curve.append((perf_counter() - begun, float(kept["reward"].mean())))
        over = iteration == iterations - 1 or curve[-1][0] > seconds or curve[-1][1] >= target
        if report and (iteration % 20 == 0 or over):
            report(f"{iteration:4d}  {curve[-1][0]:6.1f} s  mean reward {curve[-1][1]:.4f}")
        if over:
            break
    return networks.policy, np.array(curve)


def improve(torch, networks, optimiser, kept, obs, order) -> None:
    """Some steps of the optimiser, by what was seen."""
    with torch.no_grad():
        value, following = networks.critic(kept["obs"])[..., 0], networks.critic(obs)[..., 0]
        reward = kept["reward"] + DISCOUNT * networks.critic(kept["final"])[..., 0] * kept["cut"]
        advantage, later = torch.zeros_like(value), torch.zeros_like(following)
        goes_on = 1.0 - kept["ended"] - kept["cut"]
        for k in reversed(range(HORIZON)):
            change = reward[k] + DISCOUNT * following * goes_on[k] - value[k]
            later = change + DISCOUNT * TRACE * goes_on[k] * later
            advantage[k], following = later, value[k]
        mean = networks.policy(kept["obs"])
        each = {"obs": kept["obs"], "action": kept["action"], "mean": mean, "target": value + advantage,
                "chance": networks.chance(mean, kept["action"]),
                "advantage": (advantage - advantage.mean()) / (advantage.std() + 1e-8)}  # fmt: skip
        flat = {name: values.flatten(0, 1) for name, values in each.items()}
        before = networks.spread.detach().clone()
    for row in order:
        for own in row.chunk(BATCHES):
            loss, moved = losses(torch, networks, before, {name: values[own] for name, values in flat.items()})
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(networks.weights, 1.0)
            optimiser.step()
    adapt(optimiser, moved)


def losses(torch, networks, before, part):
    """The clipped objective with the critic's error and the entropy; and how far the policy has moved."""
    mean, spread = networks.policy(part["obs"]), networks.spread
    ratio = (networks.chance(mean, part["action"]) - part["chance"]).exp()
    gain = torch.minimum(ratio * part["advantage"], ratio.clamp(1.0 - CLIP, 1.0 + CLIP) * part["advantage"]).mean()
    error = (networks.critic(part["obs"])[:, 0] - part["target"]).square().mean()
    with torch.no_grad():  # Kullback and Leibler's divergence of the old policy from the new one
        a, b = before.exp().square(), spread.exp().square()
        moved = (spread - before + (a + (part["mean"] - mean).square()) / (2.0 * b) - 0.5).sum(1).mean()
    return error - gain - ENTROPY * spread.sum(), moved


def adapt(optimiser, moved) -> None:
    """Smaller steps where the policy moved too far, larger ones where it hardly did."""
    for group in optimiser.param_groups:
        smaller, larger = moved > 2.0 * WANTED_CHANGE, moved < 0.5 * WANTED_CHANGE
        group["lr"].mul_(1.5 ** (larger.float() - smaller.float())).clamp_(1e-5, 1e-2)


# --- what was learned -------------------------------------------------------------------------------------------------


def write(policy, folder: Path) -> Path:
    """The weights, as `gearwright.Policy` reads them."""
    layers = [layer for layer in policy if hasattr(layer, "weight")]
    weights = {f"weight_{k}": layer.weight.detach().cpu().numpy() for k, layer in enumerate(layers)}
    biases = {f"bias_{k}": layer.bias.detach().cpu().numpy() for k, layer in enumerate(layers)}
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "walk.npz", activation="elu", **weights, **biases)
    if find_spec("onnx"):
        trained(folder / "walk.npz").save(folder / "walk.onnx")
    return folder / "walk.npz"


def trained(path: Path, speed: float = 0.8) -> gw.Policy:
    """The policy as a controller."""
    return gw.Policy.load(path, observe=observe, act=RANGES, goal={"speed": speed}, normalized=True)


def walk(path: Path, speed: float = 0.8, seconds: float = 5.0, dt: float = DT, **options):
    """The policy inside the compiled step of a robot that starts standing: the distance that it walks [m]."""
    sim = gw.compile(quadruped(), dt=dt, controller=trained(path, speed), control_period=STEPS * DT, ground=0.8,
                     contacts=[("*_foot", "ground")], **options)  # fmt: skip
    sim.reset(position={"base.z": HEIGHT} | dict(zip(JOINTS, POSE.tolist(), strict=True)))
    sim.run(seconds)
    return sim.position["base.x"], sim.position["base.z"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--robots", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--target", type=float, default=TARGET, help="mean reward at which learning ends")
    parser.add_argument("--out", type=Path, default=Path("out"))
    given = parser.parse_args()
    env = environment(given.robots, given.device, arrays="torch", precision="single")
    policy, _ = train(env, given.seed, given.iterations, given.seconds, given.target)
    path = write(policy, given.out)
    print(f"wrote {path}")
    for integrator, dt in (("euler", DT), ("midpoint", DT / 2)):
        distance, height = walk(path, dt=dt, integrator=integrator)
        print(f"{integrator}, {1e3 * dt:g} ms: walks {distance:.2f} m in 5 s, asked for 4; trunk at {height:.2f} m")


if __name__ == "__main__":
    main()
