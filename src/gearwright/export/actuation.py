"""The actuation alone as C: beside NAME_step, the line of the coming step, and a step with given velocities.

As `gearwright.sim.actuation_part` has it: joints' velocities are prescribed, and the efforts that this takes are the
actuation's. Joints whose efforts nobody else changes share a nudge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gearwright.export.c99 import CText, plain
from gearwright.model.actuation_part import ARMATURE, PartFriction
from gearwright.sim.actuation_part import NUDGE

if TYPE_CHECKING:
    from gearwright.sim.actuation_part import ActuationPart


class ActuationText:
    """Declarations and functions for one part; `text`: the step of its simulation."""

    def __init__(self, part: ActuationPart, text: CText) -> None:
        self.part, self.name, self.real, self.number = part, text.name, text.dialect.real, text.dialect.number

    def header(self) -> str:
        name, n, real = self.name, len(self.part.names), self.real
        joints = "".join(f"\n *   [{i}] {plain(joint)}" for i, joint in enumerate(self.part.names))
        friction = "".join(_friction_line(name, f) for name, f in self.part.friction.items())
        apart = f"\n * Coulomb friction of actuators is not in the efforts:{friction}" if friction else ""
        return f"""
#define {name.upper()}_JOINTS {n}
/* Joints, in the order of all arrays:{joints}{apart} */

/* Puts joints where they are at the start of the coming step. */
void {name}_place({name}_t *r, const {real} position[{n}], const {real} velocity[{n}]);

/* Efforts on the joints in the coming step, by their velocities v at its end: efforts[i] - sum of matrix[i][j] *
   (v[j] - velocity[j]). Exact at these velocities, and around them until an actuator changes its segment. Nothing is
   changed. Returns 1 if a state is not finite. */
int {name}_line(const {name}_t *r, const {real} velocity[{n}], {real} efforts[{n}], {real} matrix[{n}][{n}]);

/* Makes the step with these velocities at its end, and gives its efforts. Returns as {name}_step does. */
int {name}_move({name}_t *r, const {real} velocity[{n}], {real} efforts[{n}]);
"""

    def source(self) -> str:
        name, n, real = self.name, len(self.part.names), self.real
        position, velocity, impulse = self.part.places
        groups, answers, lane = self.part.nudges
        return f"""
enum {{ JOINTS = {n}, GROUPS = {len(groups)} }};
static const int position_of[] = {_array(position)}, velocity_of[] = {_array(velocity)};
static const int impulse_of[] = {_array(impulse)}, group_of[] = {_array(lane)};
static const int answers[][JOINTS] = {{{", ".join(map(_array, answers.astype(int)))}}};

void {name}_place({name}_t *r, const {real} position[{n}], const {real} velocity[{n}])
{{
    for (int i = 0; i < JOINTS; ++i) {{
        r->position[position_of[i]] = position[i];
        r->velocity[velocity_of[i]] = velocity[i];
    }}
}}

int {name}_move({name}_t *r, const {real} velocity[{n}], {real} efforts[{n}])
{{
    const {real} dt = r->dt[0];
    {real} before[JOINTS];
    for (int i = 0; i < JOINTS; ++i) {{
        before[i] = r->velocity[velocity_of[i]];
        r->target[2 * i] = r->position[position_of[i]] + dt * velocity[i];
        r->target[2 * i + 1] = velocity[i];
    }}
    const int failed = {name}_step(r);
    for (int i = 0; i < JOINTS; ++i)
        efforts[i] = ({self.number(ARMATURE)} * (velocity[i] - before[i]) - r->impulse[impulse_of[i]]) / dt;
    return failed;
}}

int {name}_line(const {name}_t *r, const {real} velocity[{n}], {real} efforts[{n}], {real} matrix[{n}][{n}])
{{
    {name}_t asked = *r;
    int failed = {name}_move(&asked, velocity, efforts);
    for (int g = 0; g < GROUPS; ++g) {{
        {real} nudged[JOINTS], found[JOINTS], h[JOINTS];
        for (int j = 0; j < JOINTS; ++j) {{
            const {real} speed = velocity[j] < 0 ? -velocity[j] : velocity[j];
            h[j] = {self.number(NUDGE)} * (speed > 1 ? speed : 1);
            nudged[j] = velocity[j] + (group_of[j] == g ? h[j] : 0);
        }}
        asked = *r;
        failed |= {name}_move(&asked, nudged, found);
        for (int j = 0; j < JOINTS; ++j)
            for (int i = 0; i < JOINTS && group_of[j] == g; ++i)
                matrix[i][j] = answers[i][j] ? (efforts[i] - found[i]) / h[j] : 0;
    }}
    return failed;
}}
"""


def _friction_line(actuator: str, f: PartFriction) -> str:
    ratios = ", ".join(f"{plain(joint)} {ratio!r}" for joint, ratio in f.ratios.items())
    return f"\n *   {plain(actuator)}: {f.effort!r} at its own axis; ratios {ratios}"


def _array(values: object) -> str:
    return "{" + ", ".join(str(int(x)) for x in values) + "}"  # type: ignore[attr-defined]
