"""The tuned numbers of the midpoint step. Each was found by trial; the tests in `tests/sim` notice when one is moved.

A substep has failed where its error is above 1: the largest of

    iteration   the change of the mean velocity in the last iteration, over `change`
    motion      the angle or way of an axis, over `far` or `quarter_turn`
    energy      the energy that masses found or lost among themselves, over `energy_rate`

It is then repeated in two halves. One that cannot be halved is accepted: its velocity is scaled to the correct energy,
and the step is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Speeds and ways are of axes: [rad/s, m/s] and [rad, m]."""

    # the iteration: when the mean velocity w has been found
    iterations: int = 24  # per substep, at most
    change: float = 2e-5  # of an axis' speed and 1 rad/s: an iteration that changes less is the last, and leaves 1/100
    short: float = 1e-3  # [s] in shorter substeps that is less by dt², as their own error falls
    near: float = 5e-3  # by the same measure: the iteration is on its way to a solution
    rounding: float = 2e3  # [eps] by which an axis may go on changing in single precision
    loop_rounding: float = 20.0  # [eps/s] the same of loops, over dt: their errors are rounded as angles and lengths
    least_relaxation: float = 0.3  # of a change; its reciprocal is the most
    compliance: Mapping[float, float] = field(  # iterations from which on loops give way; by how many times their turn
        default_factory=lambda: MappingProxyType({10.0: 4.0, 17.0: 400.0})
    )
    slender: float = 10.0  # spread of a ball's moments of inertia: below it all axes converge alike

    # the guess of w
    quick: float = 3.0  # iterations of a step that was guessed well,
    quick_loop: float = 8.0  # with loops: the spin of a slender rod takes more of them, however smooth it is
    smooth: float = 2.0  # so many of those in a row, and the errors of the last guesses are added

    # motion that a substep can follow
    far: float = 0.15  # [rad, m] way of an axis in a substep whose speed changes much,
    much: float = 0.15  # which is this share of its speed
    quarter_turn: float = 1.5708  # [rad] of a body that is not round: beyond it, one side could be taken for another
    nonlinear: float = 3.0  # iterations: what is linear, whatever its motors and stops, has converged by then
    loop_speed: float = 20.0  # [rad/s] of a loop's fastest link: beyond it 2 substeps, beyond twice as much 4, …

    # energy, of mechanisms whose masses trade much of it: loops, couplings along a curve
    energy_rate: float = 0.2  # [1/s] times dt: share of its kinetic energy that a substep may find or lose
    energy_rounding: float = 1e4  # [eps] of its energy that a substep may be off by in single precision
    impact: float = 0.1  # share of the energy that an impact takes off: rows may turn by such an angle in a substep
    at_rest: float = 1e-9  # [rad/s, m/s] energies of such speeds are rounding
    many: float = 7.0  # iterations: rows nearly depend on each other, and a shorter substep would stray as far
    clamped: float = 5.0  # error of energy beyond which the velocity of the shortest substep is scaled,
    counted: float = 150.0  # and beyond which the step is counted: its motion cannot be relied on
    in_use: float = 1.0 / 16.0  # error of energy above which substeps are not made longer: twice the length errs 8-fold
    most_scaled: float = 100.0  # factor of the velocity of the shortest substep

    # substeps
    most: float = 31.0  # substeps beside the first
    tries: int = 37  # per step: five that are given up, and 32
    calm: float = 500.0  # steps without a halving after which a step in two substeps is made as a whole,
    calm_loop: float = 2.0  # [s] or, where energy is measured, longer than a turn of any loop that needs substeps
    least_calm: float = 0.5  # share of that time that any number of substeps stays there
    slow: float = 5.0  # [rad/s] of a loop's fastest link: below it two substeps that its speed has asked for end,
    calm_slow: float = 0.025  # after this share of that time;
    loop_speed_again: float = 8.0  # [rad/s] the next time they begin here
    by_speed: float = 0.5  # in place of a patience: only speed has asked for two substeps,
    again: float = 0.25  # and not for the first time
    longer: float = 4.0  # times as long do substeps stay where fewer of them were tried too early
    on_trial: float = -1.0  # in place of that number: the last change was to fewer substeps


TUNING = Tuning()
