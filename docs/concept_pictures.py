"""Draws the picture at the head of each concept's page: docs/figures/concepts/*.svg. `python docs/concept_pictures.py`

Plain drawings by formula: the same bytes on every run.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, floor, pi, sin
from pathlib import Path

from drawing_canvas import BLUE, FILL, GREEN, INK, LINE, ORANGE, PINK, RED, SOFT, Canvas

FOLDER = Path(__file__).resolve().parent / "figures/concepts"


def couplings() -> Canvas:
    c = Canvas(760, 250, "Two gears, and the error of a coupling in its three modes")
    c.gear((120, 118), 72, 24, BLUE, turn=-0.5)
    c.gear((232, 118), 31, 10, ORANGE, turn=pi - 0.5 * 24 / 10 + 0.05)
    c.text((120, 226), "leader q₁", BLUE, "middle")
    c.text((240, 226), "follower q₂", ORANGE, "middle")
    c.text((176, 28), "q₂ = m·(q₁ − r) + o", INK, "middle", 15, italic=True)
    ts = [k / 100 for k in range(101)]
    curves: dict[str, tuple[str, Callable[[float], float]]] = {
        "exact: substituted": (BLUE, lambda t: 0.0),
        "hard: a row": (GREEN, lambda t: exp(-9 * t)),
        "compliant: ω, ζ": (PINK, lambda t: exp(-3.2 * t) * cos(17 * t)),
    }
    for k, (name, (colour, f)) in enumerate(curves.items()):
        x = 345 + 140 * k
        c.axes(x, 60, 105, 120, "time", "error C", zero=0.5)
        c.line([(x + 100 * t, 120 - 50 * f(t)) for t in ts], colour, 2.4)
        c.text((x + 52, 214), name, colour, "middle", 13)
    return c


def transmissions() -> Canvas:
    c = Canvas(760, 240, "A motor, gears and a joint; velocities go one way, efforts the other")
    c.box(30, 84, 110, 64, "actuator\na, v_a, τ_a", BLUE)
    c.line([(140, 116), (204, 116)], INK, 5)
    c.gear((230, 116), 24, 9, BLUE, turn=0.2)
    c.gear((310, 116), 55, 21, ORANGE, turn=2.75)
    c.line([(310, 116), (520, 116)], INK, 5)
    c.box(520, 84, 110, 64, "joint\nq, v_j, τ_j", ORANGE)
    c.line([(630, 116), (712, 76)], ORANGE, 9)
    c.circle((630, 116), 8, INK)
    for y, words, (a, b) in (
        (36, "a = f(q),  v_a = A(q)·v_j", (520, 150)), (204, "τ_j = Aᵀ·τ_a,  reflected inertia Aᵀ·I·A", (150, 520)),
    ):  # fmt: skip
        c.arrow((a, y), (b, y), SOFT, 1.8)
        c.text((335, y - 9), words, INK, "middle", 15, italic=True)
    return c


def actuators() -> Canvas:
    c = Canvas(760, 260, "From a command to a torque on the curve, at the speed that it leads to")
    for x, words in ((24, "command"), (134, "drive"), (244, "motor"), (354, "gear A")):
        c.box(x, 60, 84, 46, words, LINE if words == "command" else BLUE)
        if x < 354:
            c.arrow((x + 86, 83), (x + 108, 83))
    c.text((231, 140), "τ = τ(command, ω⁺, state⁺)", INK, "middle", 15, italic=True)
    c.text((231, 166), "M·(v⁺ − v) = dt·(… + Aᵀ·τ)", INK, "middle", 15, italic=True)
    c.text((231, 206), "the effort at the velocity that it leads to,", SOFT, "middle", 13)
    c.text((231, 224), "not at the velocity before the step", SOFT, "middle", 13)
    x, y, w, h = 500, 40, 220, 180
    c.axes(x, y, w, h, "", "torque τ")
    c.text((x + 90, y + h + 18), "speed ω", SOFT, "middle", 12)
    c.area([(x, y + 60), (x + 72, y + 60), (x + w, y + h), (x, y + h)], BLUE)
    c.line([(x, y + 12), (x + 72, y + 60)], BLUE, 1.5, "4 4")
    c.line([(x, y + 60), (x + 72, y + 60), (x + w, y + h)], BLUE, 2.5)
    c.text((x - 6, y + 64), "τ_lim", BLUE, "end", 12)
    c.text((x - 6, y + 16), "τ_stall", BLUE, "end", 12)
    c.text((x + w, y + h + 18), "ω₀", BLUE, "middle", 12)
    c.circle((x + 137, y + 113), 6, RED, RED)
    c.text((x + 150, y + 110), "operating point", RED, size=13)
    return c


def sensors() -> Canvas:
    c = Canvas(760, 250, "An angle, and the reading of its encoder: counted, sampled, late")
    stages = ("y = ratio·x\n+ offset", "+ noise", "count\nδ·⌊y/δ + ½⌋", "sample\nand hold", "latency")
    for k, words in enumerate(stages):
        x = 24 + 148 * k
        c.box(x, 20, 118, 52, words, GREEN)
        if k < len(stages) - 1:
            c.arrow((x + 120, 46), (x + 146, 46))
    x, y, w, h = 70, 105, 630, 115

    def angle(t: float) -> float:
        return 0.5 - 0.5 * cos(pi * min(1.0, max(0.0, t)))

    c.axes(x, y, w, h, "time", "angle")
    c.line([(x + w * k / 200, y + h - h * angle(k / 200)) for k in range(201)], BLUE, 2.2)
    points = []
    for k in range(0, 401):
        t = k / 400
        held = floor(max(0.0, t - 0.045) * 18) / 18
        points.append((x + w * t, y + h - h * floor(angle(held) * 9 + 0.5) / 9))
    c.line(points, ORANGE, 2)
    c.text((x + 330, y + 38), "the shaft", BLUE, "end")
    c.text((x + 440, y + 90), "the reading", ORANGE)
    return c


def loops() -> Canvas:
    c = Canvas(760, 260, "A four-bar: a tree of links, and one joint that closes the loop")
    a, b, d, e = (110, 200), (150, 110), (330, 66), (390, 200)
    c.hatch((80, 212), (420, 212), side=1.0)
    c.line([a, b], BLUE, 9)
    c.line([b, d], GREEN, 9)
    c.line([e, d], ORANGE, 9)
    for p in (a, b, e):
        c.circle(p, 8)
    c.circle(d, 15, RED, "#ffffff")
    c.circle(d, 6, RED)
    c.text((92, 156), "crank", BLUE, "end")
    c.text((228, 74), "coupler", GREEN, "middle")
    c.text((384, 140), "rocker", ORANGE)
    c.text((350, 42), "cut here", RED)
    for k, words in enumerate((
        "The tree: crank, coupler, rocker", "C(q) = pose error at the cut = 0", "J·v⁺ = 0,  J = ∂C/∂q",
        "M·(v⁺ − v) = dt·τ + Jᵀ·λ",
    )):  # fmt: skip
        c.text((480, 84 + 34 * k), words, SOFT if k == 0 else INK, size=15, italic=k > 0)
    return c


def limits() -> Canvas:
    c = Canvas(760, 260, "A slide between its stops, and the law of stop and friction along its axis")
    c.hatch((40, 176), (330, 176), side=1.0)
    c.hatch((60, 120), (60, 176), side=1.0)
    c.hatch((310, 176), (310, 120), side=1.0)
    c.box(150, 128, 76, 46, "m", BLUE)
    c.arrow((190, 108), (238, 108), BLUE)
    c.text((214, 98), "u", BLUE, "middle", italic=True)
    c.arrow((148, 152), (106, 152), RED)
    c.text((128, 142), "λ", RED, "middle", italic=True)
    c.text((60, 214), "lower", SOFT, "middle")
    c.text((310, 214), "upper", SOFT, "middle")
    x, y = 550, 130
    c.arrow((x - 150, y), (x + 172, y), SOFT, 1.3)
    c.arrow((x, y + 110), (x, y - 108), SOFT, 1.3)
    c.text((x + 172, y + 18), "rate u", SOFT, "end", 12)
    c.text((x + 8, y - 98), "impulse λ", SOFT, size=12)
    c.line(
        [(x - 110, y - 104), (x - 110, y - 34), (x, y - 34), (x, y + 34), (x + 110, y + 34), (x + 110, y + 104)], RED, 3
    )
    c.text((x - 104, y - 62), "lower stop", RED, size=12)
    c.text((x - 56, y - 42), "+f·dt", SOFT, "middle", 12)
    c.text((x + 8, y + 20), "sticks", RED, size=12)
    c.text((x + 58, y + 52), "slides: −f·dt", RED, "middle", 12)
    c.text((x + 104, y + 92), "upper stop", RED, "end", 12)
    return c


def step() -> Canvas:
    c = Canvas(760, 250, "A step: one mean velocity, momentum balanced in its middle")
    left, middle, right = 110, 380, 650
    c.line([(left, 90), (right, 90)], LINE, 1.5)
    for x, words in ((left, "t"), (middle, "t + dt/2"), (right, "t + dt")):
        c.line([(x, 100), (x, 150)], LINE, 1.2, "3 4")
        c.text((x, 232), words, SOFT, "middle", 13)
    c.arrow((left + 12, 90), (right - 12, 90), BLUE, 3)
    c.text((middle, 76), "mean velocity w", BLUE, "middle", italic=True)
    for x, words in ((left, "q"), (middle, "q̄"), (right, "q⁺")):
        c.circle((x, 90), 9, BLUE, FILL)
        c.text((x, 56), words, BLUE, "middle", 17, italic=True)
    for x, words in ((left, "p"), (middle, "p̄"), (right, "p⁺")):
        c.circle((x, 160), 9, ORANGE, FILL)
        c.text((x, 194), words, ORANGE, "middle", 17, italic=True)
    for a, b in ((left, middle), (middle, right)):
        c.arrow((a + 12, 160), (b - 12, 160), ORANGE, 2.4)
        c.text(((a + b) / 2, 150), "dt/2·f(q̄, w)", ORANGE, "middle", 14, italic=True)
    c.text((middle, 24), "positions move with w; momentum balances at both ends", SOFT, "middle", 13)
    return c


def batches() -> Canvas:
    c = Canvas(760, 260, "A batch: one robot per lane, one block per register, blocks over threads")
    colours = (BLUE, GREEN, ORANGE)
    for block in range(3):
        y = 44 + 62 * block
        c.text((24, y + 26), f"thread {block}", SOFT)
        for lane in range(8):
            x = 110 + 42 * lane
            c.box(x, y, 38, 40, str(8 * block + lane), colours[block], "#ffffff")
        c.arrow((452, y + 20), (508, y + 20), colours[block])
        c.box(512, y, 100, 40, "8 robots", colours[block])
    c.text((275, 30), "robots of a block: one SIMD lane each", SOFT, "middle", 13)
    c.text((562, 30), "each instruction", SOFT, "middle", 13)
    c.box(640, 66, 108, 120, "sim.position\n[name]\n\n(B,)", LINE)
    for block in range(3):
        c.line([(612, 64 + 62 * block), (638, 126)], LINE, 1.5)
    c.text(
        (380, 244),
        "xᵢ⁺ = f(xᵢ, uᵢ, pᵢ):  the same bits for every place, batch size and number of threads",
        INK,
        "middle",
        14,
    )
    return c


def sweeps() -> Canvas:
    c = Canvas(760, 260, "Parameters are inputs of the compiled step; a sweep is a table of designs")
    for k, name in enumerate(("motor.stall_torque", "gear.reduction", "arm.mass")):
        c.box(20, 46 + 58 * k, 160, 40, name, ORANGE)
        c.arrow((182, 66 + 58 * k), (246, 66 + 58 * k + (1 - k) * 30), ORANGE)
    c.box(250, 84, 150, 80, "compiled once\nx⁺ = f(x, u, p)", BLUE)
    c.arrow((402, 124), (450, 124), BLUE)
    x, y, n = 470, 44, 9
    for i in range(n):
        for j in range(n):
            value = exp(-(((i - 5.2) / 3.2) ** 2 + ((j - 3.4) / 2.6) ** 2))
            shade = tuple(round(255 - value * (255 - part)) for part in (0, 114, 178))
            c.parts.append(f'<rect x="{x + 18 * i}" y="{y + 18 * j}" width="17" height="17" fill="rgb{shade}"/>')
    c.text((x + 81, y + 182), "stall torque", SOFT, "middle", 12)
    c.text((x + 81, 32), "a metric of each design", SOFT, "middle", 12)
    c.arrow((640, 124), (668, 124))
    c.box(672, 74, 74, 100, "table\n\na row\na design", LINE)
    return c


def hardware() -> Canvas:
    c = Canvas(760, 230, "The robot's own driver talks to simulated drives")
    c.box(20, 70, 130, 76, "your driver\n(unchanged)", GREEN)
    c.box(220, 70, 130, 76, "bus\nCAN, serial, TCP", LINE)
    c.box(420, 70, 140, 76, "drives\nregisters, loops,\nheat, faults", BLUE)
    c.box(630, 70, 110, 76, "mechanism", ORANGE)
    for a, b in ((150, 220), (350, 420), (560, 630)):
        c.arrow((a + 4, 96), (b - 4, 96))
        c.arrow((b - 4, 122), (a + 4, 122), SOFT)
    c.text((185, 88), "frames", SOFT, "middle", 12)
    c.text((595, 88), "τ", INK, "middle", 15, italic=True)
    c.text((595, 142), "ω", SOFT, "middle", 15, italic=True)
    c.text((490, 178), "τ = k·(V − k·ω)/R", INK, "middle", 15, italic=True)
    c.text((490, 204), "loops at the product's own rate, on simulated time", SOFT, "middle", 13)
    c.text((85, 178), "port or channel", SOFT, "middle", 12)
    c.text((85, 194), "is all that changes", SOFT, "middle", 12)
    return c


def recordings() -> Canvas:
    c = Canvas(760, 250, "A run, its rows, and where they go")
    c.box(20, 84, 100, 60, "sim.run", BLUE)
    c.arrow((124, 114), (164, 114))
    x, w = 184, 320
    names = (("motor.torque", ORANGE, 5.0), ("finger.position", BLUE, 3.0), ("encoder", GREEN, 7.0))
    for k, (name, colour, f) in enumerate(names):
        y = 60 + 56 * k
        c.line([(x, y), (x + w, y)], LINE, 1)
        c.line([(x + w * i / 120, y - 16 * sin(f * i / 40) * exp(-i / 90)) for i in range(121)], colour, 2)
        c.text((x + 4, y - 20), name, colour, size=12)
    for i in range(9):
        c.line([(x + w * i / 8, 202), (x + w * i / 8, 212)], SOFT, 1.3)
    c.arrow((x, 207), (x + w + 16, 207), SOFT, 1.3)
    c.text((x, 230), "row 0: t = 0", SOFT, "middle", 12)
    c.text((x + w, 230), "row k: t = k·every·dt", SOFT, "end", 12)
    c.arrow((x + w + 14, 114), (x + w + 52, 114))
    for k, words in enumerate((".mcap  Foxglove", ".parquet  polars", ".npz  .csv", "rec.plot(…)")):
        c.box(570, 30 + 48 * k, 166, 38, words, LINE)
    return c


def control() -> Canvas:
    c = Canvas(760, 220, "A controller reads the simulation and commands it")
    c.box(40, 60, 150, 60, "controller\nc(y, x)", GREEN)
    c.box(300, 60, 120, 60, "actuators", BLUE)
    c.box(460, 60, 120, 60, "mechanism", ORANGE)
    c.box(620, 60, 110, 60, "sensors", PINK)
    c.arrow((192, 90), (296, 90))
    c.text((244, 80), "u_k, held", INK, "middle", 13, italic=True)
    c.arrow((422, 90), (458, 90))
    c.arrow((582, 90), (618, 90))
    c.line([(675, 122), (675, 170), (115, 170)], SOFT, 2)
    c.arrow((115, 170), (115, 124), SOFT)
    c.text((395, 162), "readings y_k", SOFT, "middle", 13, italic=True)
    c.line([(70, 58), (70, 30), (160, 30)], GREEN, 1.8)
    c.arrow((160, 30), (160, 57), GREEN, 1.8)
    c.text((172, 34), "memory x", GREEN, size=13, italic=True)
    c.text((395, 204), "called before a step by Python, or compiled into it", SOFT, "middle", 13)
    return c


def contacts() -> Canvas:
    c = Canvas(760, 260, "A crate that slides, and the cone of impulses at a point of contact")
    c.box(90, 90, 150, 80, "link", BLUE)
    c.line([(20, 170), (330, 170)], INK, 4)
    c.arrow((250, 130), (320, 130), BLUE, 2.4)
    c.text((286, 116), "slip", BLUE, "middle")
    c.arrow((165, 170), (120, 60), RED, 2.6)
    c.text((106, 50), "λ", RED, "middle", 17, italic=True)
    c.text((165, 196), "point of contact", INK, "middle")
    tip, left, right = (560, 215), (450, 45), (670, 45)
    c.line([left, tip, right], ORANGE, 2.6)
    c.arrow((420, 215), (720, 215), SOFT, 1.6)
    c.arrow((560, 240), (560, 24), SOFT, 1.6)
    c.text((722, 236), "λₜ", INK, "middle", 15, italic=True)
    c.text((580, 30), "λₙ", INK, "middle", 15, italic=True)
    c.circle((575, 110), 6, GREEN)
    c.text((590, 104), "sticks", GREEN)
    c.circle((483, 96), 6, RED)
    c.text((432, 92), "slides", RED, "middle")
    c.circle(tip, 6, INK)
    c.text((600, 236), "off", INK, "middle")
    return c


PICTURES: tuple[Callable[[], Canvas], ...] = (
    couplings, transmissions, actuators, sensors, loops, limits, contacts, step, batches, sweeps, hardware, recordings,
    control,
)  # fmt: skip


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        path = FOLDER / f"{picture.__name__}.svg"
        path.write_text(picture().svg(), encoding="utf-8")
        print(f"docs/figures/concepts/{path.name}")


if __name__ == "__main__":
    main()
