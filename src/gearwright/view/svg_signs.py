"""A small sign for each kind of joint, drawn around the origin in a knob of radius 10."""

from __future__ import annotations

RADIUS = 10.0

_TURN = '<path class="sign" d="M-4.6 2.2 A5.1 5.1 0 1 1 2.6 4.4 M2.6 4.4 l0.3 -3.2 M2.6 4.4 l3 0.9"/>'

SIGNS = {
    "fixed": '<rect class="sign-full" x="-3" y="-3" width="6" height="6"/>',
    "revolute": _TURN,
    "continuous": '<circle class="sign" r="5"/><circle class="sign-full" r="1.8"/>',
    "prismatic": '<path class="sign" d="M-6 0 H6 M-6 0 l2.6 -2.6 M-6 0 l2.6 2.6 M6 0 l-2.6 -2.6 M6 0 l-2.6 2.6"/>',
    "screw": '<path class="sign" d="M-6 3 L-4 -3 L-1.5 3 L1 -3 L3.5 3 L5.5 -3"/>',
    "universal": '<path class="sign" d="M-5.5 0 H5.5 M0 -5.5 V5.5"/>',
    "revolute2": '<path class="sign" d="M-2.5 -5 V5 M2.5 -5 V5"/>',
    "ball": '<circle class="sign-full" r="4.5"/>',
    "planar": '<path class="sign" d="M-6 3.5 L-2.5 -3.5 H6 L2.5 3.5 Z"/>',
    "floating": '<circle class="sign" r="5" stroke-dasharray="2.2 2.6"/>',
}
