"""Large and hostile MJCF files end soon, loaded or refused."""

from __future__ import annotations

import time

import pytest

import gearwright as gw

SECONDS = 20.0  # of processor time; the slowest takes two
BODY = '<body name="b{0}"><freejoint/><geom size="0.1"/></body>'


def wide(n: int, more: str = "") -> str:
    return f"<mujoco><worldbody>{''.join(BODY.format(i) for i in range(n))}</worldbody>{more}</mujoco>"


HOSTILE = {
    "many free bodies": wide(5000, '<keyframe><key qpos="1"/></keyframe>'),
    "a damping ratio among many bodies": wide(3000).replace(
        "</worldbody>",
        '<body><joint name="j"/><geom size="1"/></body></worldbody>'
        '<actuator><position joint="j" dampratio="1"/></actuator>',
    ),
    "many classes": "<mujoco>"
    + "".join(f'<default><default class="c{i}"><geom size="1"/></default></default>' for i in range(4000))
    + "<worldbody><body/></worldbody></mujoco>",
    "replicas of replicas": "<mujoco><worldbody>"
    + '<replicate count="900">' * 5
    + '<geom size="1"/>'
    + "</replicate>" * 5
    + "</worldbody></mujoco>",
    "unnamed shapes": "<mujoco><worldbody><body>" + '<geom size="1"/>' * 20000 + "</body></worldbody></mujoco>",
    "deep": "<mujoco><worldbody>" + "<body>" * 190 + '<geom size="1"/>' + "</body>" * 190 + "</worldbody></mujoco>",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end(name: str) -> None:
    begun = time.process_time()
    try:
        gw.loads(HOSTILE[name])
    except gw.LoadError as refused:
        assert refused.diagnostics
    assert time.process_time() - begun < SECONDS
