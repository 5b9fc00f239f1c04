"""A step with rows as CasADi Functions to be run one after another, with sweeps as counted loops.

    predict                 the rows, u⁺ with last step's impulses, and whether they still suit the rows: `accepted`
    unless accepted:
        respond             the Delassus matrix A
        sweep, up to n ×    until `settled`
        hold                rows that hold something still, solved together
        correct             u⁺ from the impulses
    advance                 q⁺
    project, up to 8 ×      closed loops: q⁺ back to where they close, by Levenberg and Marquardt with the step's M̂

The actuators' efforts, and what they remember, are known with u⁺ (`actuator`, in the stage that advances).

Values that cross from one Function to the next go by the names of slots; `carried` is what is known before the sweeps,
`responses` is A. Most steps are accepted, so `respond` works out again what it carries, and `predict` stores little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import casadi
from casadi import SX, Function

from gearwright.dynamics.algebra.factorise import Factors
from gearwright.dynamics.algebra.scalar import (
    Scalar,
    both,
    column,
    greatest,
    is_number,
    magnitude,
    minus,
    plus,
    scalars,
    times,
    total,
    where,
    without_simplification,
)
from gearwright.dynamics.algebra.sparse import combined
from gearwright.dynamics.constraints.closures import ClosureRows
from gearwright.dynamics.constraints.rows import ConstraintGroup, Instant
from gearwright.dynamics.motion import Model
from gearwright.dynamics.solve.active_set import solve_active_set
from gearwright.dynamics.solve.floors import Floors
from gearwright.dynamics.solve.sweep_rows import Baumgarte, Row
from gearwright.dynamics.solve.sweeps import (
    Elimination,
    Resolved,
    Responses,
    jacobian_transpose,
    resolved,
    satisfied,
    started,
    sweep,
)
from gearwright.dynamics.steps.builder import Repeat
from gearwright.dynamics.steps.unconstrained import predicted
from gearwright.dynamics.tree.coordinates import State
from gearwright.dynamics.tree.reduction import TreeState


class Method(NamedTuple):
    """A solver: whether it eliminates the equalities, and whether positions move on from sweep to sweep."""

    eliminates: bool
    advances: bool


SOLVERS: dict[str, Method] = {
    "direct": Method(eliminates=True, advances=False),
    "pgs": Method(eliminates=False, advances=False),
    "tgs": Method(eliminates=False, advances=True),
}
TOLERANCE = {"double": 1e-10, "single": 1e-5}  # of velocities, at which sweeps end, and of loops [rad(/s), m(/s)]
EPS = {"double": 2.0**-52, "single": 2.0**-23}
SETTLED = 0.01  # of the tolerance: sweeps go further than what is accepted, so that a robot at rest stays accepted
PROJECTIONS = 8  # corrections of closed loops a step at most; the one that starts within the tolerance is the last


class Carrier:
    """Puts symbols in the place of what a stage has computed, so that later stages read it from a slot."""

    def __init__(self) -> None:
        self.values: list[Scalar] = []
        self.symbols: list[SX] = []
        self._known: dict[int, SX] = {}

    def __call__(self, x: Scalar) -> Scalar:
        if is_number(x):
            return x
        key = x.element_hash()  # the same value is carried once
        if key not in self._known:
            self.values.append(x)
            self.symbols.append(SX.sym(f"c{len(self.symbols)}"))
            self._known[key] = self.symbols[-1]
        return self._known[key]


@dataclass(frozen=True)
class System:
    """What the rows come to, and the velocities with the impulses that the solver starts from."""

    warm: list[Scalar]  # impulses of the rows that are swept over
    u_warm: list[Scalar]  # with these, and none of the equalities
    M_hat: Factors
    equalities: Elimination
    rows: list[Resolved]  # swept over

    def mapped(self, change: Carrier) -> System:
        return System(
            [change(x) for x in self.warm],
            [change(x) for x in self.u_warm],
            self.M_hat.mapped(change),
            self.equalities.mapped(change),
            [row.mapped(change) for row in self.rows],
        )

    def velocities(self, impulses: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """u⁺ for impulses of the rows that are swept over, and the impulses of the equalities."""
        u = self.u_warm
        if impulses is not self.warm:
            change = [minus(x, w) for x, w in zip(impulses, self.warm, strict=True)]
            moved = self.M_hat.solve(jacobian_transpose(self.rows, change, len(u)))
            u = [plus(x, d) for x, d in zip(u, moved, strict=True)]
        answers = self.equalities.impulses(u)
        return self.equalities.answered(u, answers), answers


class SweepStep:
    """Makes the Functions of one step."""

    def __init__(
        self, model: Model, kinds: Sequence[ConstraintGroup], symbols: Mapping[str, SX],
        *, solver: str, iterations: int, tolerance: float,
    ) -> None:  # fmt: skip
        self.model, self.kinds, self.tolerance, self.iterations = model, list(kinds), tolerance, iterations
        self.method = SOLVERS[solver]
        self.floors = Floors.of(EPS["double" if tolerance < TOLERANCE["single"] else "single"])
        self._symbols = dict(symbols)
        eliminated = [self.method.eliminates and kind.equality for kind in kinds for _ in range(kind.size)]
        self.eliminated = [i for i, e in enumerate(eliminated) if e]
        self.swept = [i for i, e in enumerate(eliminated) if not e]
        loops = any(isinstance(kind, ClosureRows) for kind in kinds)
        self.closures = [kind for kind in kinds if kind.projected] if loops else []

    def body(self) -> tuple[Function | Repeat, ...]:
        if not self.swept:
            return (self._straight(), *self._projection())
        system = self._system()
        predict = self._predict(system)
        respond, system, A = self._respond(system)
        sweeps = Repeat(self.iterations, (self._sweep(system, A),), None if self.method.advances else "settled")
        correct = self._correct(system)
        if self.method.advances:
            return predict, respond, sweeps, correct, self._advance(), *self._projection()
        held = (self._hold(system, A),) if self.method.eliminates else ()
        unless_accepted = Repeat(1, (respond, sweeps, *held, correct), "accepted")
        return predict, unless_accepted, self._advance(), *self._projection()

    # --- the stages ------------------------------------------------------------------------------------------------

    def _straight(self) -> Function:
        """Only equalities, and all of them eliminated: nothing to sweep over."""
        system = self._system()
        u, answers = system.velocities(system.warm)
        q = self.model.advanced(self._read("position"), u, self._dt)
        outputs = {"position": q, "velocity": u, "impulse": answers, **self._actuators(u)}
        return self._function("step", self._given, {**outputs, **self._kept_for_projection(system)})

    def _predict(self, system: System) -> Function:
        warm = system.warm
        u, answers = system.velocities(warm)
        rates = [row.rate(u) for row in system.rows]
        content: Scalar = True
        start = self._read("velocity")
        for row, impulse, rate in zip(system.rows, warm, rates, strict=True):
            content = both(content, satisfied(row, impulse, rate, row.rate(start), self.tolerance))
        accepted = where(content, 1.0, 0.0)
        outputs = {"u": u, "rate": rates, "impulse": self._merged(answers, warm)}
        if self._drifting(system):
            outputs |= {"kept": warm, "kept_rate": rates}
        if self.method.advances:
            outputs |= {"moved": [0.0] * len(warm), "mean": [0.0] * len(warm), "done": [0.0]}
        else:
            outputs |= {"settled": [accepted], "accepted": [accepted]}
        outputs |= self._kept_for_projection(system)
        for name in ("u", "rate", "kept", "kept_rate", "settled", "accepted", "moved", "mean", "done"):
            if name in outputs:
                self._symbols[name] = SX.sym(name, len(outputs[name]))
        return self._function("predict", self._given, outputs)

    def _respond(self, system: System) -> tuple[Function, System, Responses]:
        A = Responses.of(system.rows, system.M_hat, system.equalities, self.model.dof, self.floors)
        carried, responses = Carrier(), Carrier()
        later = system.mapped(carried), A.mapped(responses)
        self._symbols["carried"], self._symbols["responses"] = column(carried.symbols), column(responses.symbols)
        outputs = {"carried": carried.values, "responses": responses.values}
        return self._function("respond", self._given, outputs), *later

    def _sweep(self, system: System, A: Responses) -> Function:
        impulses, rates = [self._read("impulse")[i] for i in self.swept], self._read("rate")
        inputs = ["carried", "responses", "impulse", "rate"]
        rows, going, n = system.rows, 1.0, self.iterations
        if self.method.advances:
            done, moved, mean = self._read("done")[0], self._read("moved"), self._read("mean")
            rows = [row.moved_on(d, done, n) for row, d in zip(rows, moved, strict=True)]
        else:
            settled = self._read("settled")[0]
            going = casadi.logic_not(settled)
        impulses, rates, change = sweep(rows, A, impulses, rates, going, self.tolerance)
        outputs = {"impulse": self._merged(None, impulses), "rate": rates}
        if self._drifting(system):
            undrifted = [row.undrifted() for row in system.rows]
            kept, still, more = sweep(undrifted, A, self._read("kept"), self._read("kept_rate"), going, self.tolerance)
            outputs |= {"kept": kept, "kept_rate": still}
            inputs += ["kept", "kept_rate"]
            change = plus(change, more)
        if self.method.advances:
            outputs["moved"] = [plus(d, rate) for d, rate in zip(moved, rates, strict=True)]
            outputs["mean"] = [plus(m, times(1.0 / n, x)) for m, x in zip(mean, impulses, strict=True)]
            outputs["done"] = [plus(done, 1.0)]
            return self._function("sweep", (*inputs, "moved", "mean", "done"), outputs)
        outputs["settled"] = [where(casadi.logic_or(settled, change <= SETTLED * self.tolerance), 1.0, 0.0)]
        return self._function("sweep", (*inputs, "settled"), outputs)

    def _hold(self, system: System, A: Responses) -> Function:
        """Rows that sweeps have found to hold, solved together."""
        accepted, last = self._read("accepted")[0], [self._read("impulse")[i] for i in self.swept]
        impulses = solve_active_set(system.rows, A, last, self._read("rate"), self.floors)
        kept = [where(accepted, old, new) for old, new in zip(last, impulses, strict=True)]
        inputs = ("carried", "responses", "impulse", "rate", "accepted")
        return self._function("hold", inputs, {"impulse": self._merged(None, kept)})

    def _correct(self, system: System) -> Function:
        impulses = self._read("impulse")
        swept = [impulses[i] for i in self.swept]
        u, answers = system.velocities(swept)
        inputs, kept = ["carried", "impulse"], swept
        if self._drifting(system):
            inputs, kept = [*inputs, "kept"], self._read("kept")
        if self.method.advances:
            mean, _ = system.velocities(self._read("mean"))
            outputs = {"u": mean, "velocity": u, "impulse": self._merged(None, kept)}
            return self._function("correct", (*inputs, "mean"), outputs)
        accepted, before = self._read("accepted")[0], self._read("u")
        u = [where(accepted, old, new) for old, new in zip(before, u, strict=True)]
        answers = [where(accepted, impulses[i], new) for i, new in zip(self.eliminated, answers, strict=True)]
        outputs = {"u": u, "impulse": self._merged(answers, kept)}
        return self._function("correct", (*inputs, "u", "accepted"), outputs)

    @staticmethod
    def _drifting(system: System) -> bool:
        return any(row.drift for row in system.rows)

    def _advance(self) -> Function:
        u = self._read("u")
        q = self.model.advanced(self._read("position"), u, self._dt)
        outputs = {"position": q} if self.method.advances else {"position": q, "velocity": u}
        inputs: tuple[str, ...] = ("position", "u", "dt")
        if self.model.actuation.driven:
            outputs |= self._actuators(self._read("velocity") if self.method.advances else u)
            inputs = (*inputs, "velocity", "command", "actuator", "parameter")
        return self._function("advance", inputs, outputs)

    def _actuators(self, u: list[Scalar]) -> dict[str, list[Scalar]]:
        """Their efforts, and what they remember, of a step that ends with these velocities."""
        actuation, model = self.model.actuation, self.model
        if not actuation.driven:
            return {}
        command, memory = self._read("command"), self._read("actuator")
        tree = model.tree(State(self._read("position"), self._read("velocity")))
        v = [total(*(times(g, u[n]) for n, g in row.items())) for row in tree.G]
        after = list(memory)
        for d in actuation.driven:
            after[d.command], own = d.after(tree, v, command, memory, self._dt)
            for i, x in zip(d.states, own, strict=True):
                after[i] = x
        return {"actuator": after}

    def _kept_for_projection(self, system: System) -> dict[str, list[Scalar]]:
        """M̂, in whose metric positions are brought back: what is free to move keeps its centre of mass."""
        if not self.closures:
            return {}
        carrier = Carrier()
        self._metric = system.M_hat.mapped(carrier)
        self._symbols["metric"] = column(carrier.symbols)
        self._symbols["closed"] = SX.sym("closed")
        return {"metric": carrier.values, "closed": [0.0]}

    def _projection(self) -> tuple[Repeat, ...]:
        """`q ← q ⊕ −Y·(J·Y + |C|·R)⁻¹·C(q)`, R the response that a row would have if it looked along all that moves it.

        Levenberg and Marquardt with a damping that goes to zero with the error converge quadratically even where J
        loses rank (Yamashita and Fukushima, 2001; Fan and Yuan, 2005), and no further than |C|^½ in one move: at a
        dead centre, where C is quadratic, that is what there is to go.
        """
        if not self.closures:
            return ()
        q = self._read("position")
        still: list[Scalar] = [0.0] * self.model.dof
        tree = self.model.tree(State(q, still))
        now = Instant(tree, self.model.configuration(tree), self._dt, self._read("target"))
        rows = [row for kind in self.closures for row in kind.rows(now)]
        worst: Scalar = 0.0
        for row in rows:
            worst = greatest(worst, magnitude(row.error))
        damping = [times(worst, self._reach(row, tree)) for row in rows]
        held = [replace(row, rate=0.0, softness=Baumgarte(0.0)) for row in rows]
        along = resolved(held, tree.G, self._metric, self.model.dof, self._dt)
        closing = Elimination.of(along, self._metric, self.model.dof, self.floors, damping)
        back = closing.answered(still, [minus(0.0, x) for x in closing.factors.solve([row.error for row in rows])])
        closed: Scalar = self._read("closed")[0]
        moved = self.model.advanced(q, back, 1.0)
        outputs = {
            "position": [where(closed, old, new) for old, new in zip(q, moved, strict=True)],
            "closed": [where(casadi.logic_or(closed, worst <= self.tolerance), 1.0, 0.0)],
        }
        inputs = ("position", "metric", "closed", "target", "parameter", "dt")
        return (Repeat(PROJECTIONS, (self._function("project", inputs, outputs),), "closed"),)

    def _reach(self, row: Row, tree: TreeState) -> Scalar:
        """`Σ reach²/d` over M̂'s pivots d: no more than `reach·M̂⁻¹·reachᵀ` without regard to signs."""
        along = combined(row.J if row.reach is None else row.reach, tree.G)
        return total(*(times(times(x, x), self._metric.reciprocals[n]) for n, x in along.items()))

    # --- inside ----------------------------------------------------------------------------------------------------

    def _system(self) -> System:
        model, dt = self.model, self._dt
        state = State(self._read("position"), self._read("velocity"))
        driven = bool(model.actuation.driven)
        command, memory = (self._read("command"), self._read("actuator")) if driven else (None, [])
        prediction = predicted(model, state, self._read("effort"), dt, command, memory)
        now = Instant(
            prediction.tree, prediction.at, dt, self._read("target"), command or [], memory, prediction.acting
        )
        rows = [row for kind in self.kinds for row in kind.rows(now)]
        all_rows = resolved(rows, prediction.tree.G, prediction.factors, model.dof, dt)
        equalities = Elimination.of([all_rows[i] for i in self.eliminated], prediction.factors, model.dof, self.floors)
        swept, last = [all_rows[i] for i in self.swept], self._read("impulse")
        warm = [started(row, last[i]) for row, i in zip(swept, self.swept, strict=True)]
        u = prediction.velocities(dt, jacobian_transpose(swept, warm, model.dof))
        return System(warm, u, prediction.factors, equalities, swept)

    def _merged(self, eliminated: Sequence[Scalar] | None, swept: Sequence[Scalar]) -> list[Scalar]:
        """Impulses in the order of the rows; None keeps those of the equalities."""
        merged = self._read("impulse")
        for i, x in zip(self.eliminated, eliminated if eliminated is not None else (), strict=False):
            merged[i] = x
        for i, x in zip(self.swept, swept, strict=True):
            merged[i] = x
        return merged

    @property
    def _given(self) -> tuple[str, ...]:
        """What a step begins with."""
        return (*(DRIVEN if self.model.actuation.driven else STATE), *(("wrench",) if self.model.loads else ()))

    @property
    def _dt(self) -> Scalar:
        return self._symbols["dt"]

    def _read(self, name: str) -> list[Scalar]:
        return scalars(self._symbols[name])

    def _function(self, name: str, inputs: Sequence[str], outputs: Mapping[str, list[Scalar]]) -> Function:
        with without_simplification():
            columns = casadi.cse([column(values) for values in outputs.values()])
        symbols = [self._symbols[n] for n in inputs]
        return Function(name, symbols, columns, list(inputs), list(outputs), {"allow_duplicate_io_names": True})


STATE = ("position", "velocity", "impulse", "effort", "target", "parameter", "dt")
DRIVEN = (*STATE, "actuator", "command")  # of a robot with actuators
