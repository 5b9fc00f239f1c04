"""The look of the mechanism graph: one style sheet, for light pages and for dark ones."""

from __future__ import annotations

# role → colour on a light page, colour on a dark one
COLOURS = {
    "page": ("#fcfcfb", "#16181d"),
    "ink": ("#1d2129", "#e8eaee"),
    "soft": ("#6a7180", "#98a0ae"),
    "box": ("#ffffff", "#22262e"),
    "rim": ("#c3c8d1", "#464d5a"),
    "edge": ("#6b7383", "#8b94a3"),
    "coupling": ("#b02a93", "#f07ad8"),
    "transmission": ("#a86a00", "#f0b54a"),
    "transmission-fill": ("#fff5dd", "#3a2f17"),
    "actuator": ("#217a47", "#62d394"),
    "actuator-fill": ("#e6f6ec", "#17341f"),
    "sensor": ("#1f63b5", "#7db4ff"),
    "sensor-fill": ("#e7f0fc", "#182c47"),
    "loop": ("#c8361d", "#ff8a70"),
}

# class → declarations; {role} stands for a colour
RULES = {
    "page": "fill:{page}",
    "title": "fill:{ink};font-size:20px;font-weight:650",
    "about": "fill:{soft};font-size:12.5px",
    "link": "fill:{box};stroke:{rim};stroke-width:1.2",
    "ground": "fill:none;stroke:{edge};stroke-width:1.5",
    "link-name": "fill:{ink};font-size:13px;font-weight:600",
    "link-note": "fill:{soft};font-size:10.5px",
    "edge": "fill:none;stroke:{edge};stroke-width:1.7",
    "weld": "fill:none;stroke:{rim};stroke-width:1.7",
    "knob": "fill:{box};stroke:{edge};stroke-width:1.5",
    "knob-weld": "fill:{box};stroke:{rim};stroke-width:1.5",
    "sign": "fill:none;stroke:{ink};stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round",
    "sign-full": "fill:{soft};stroke:none",
    "arrow": "fill:{edge};stroke:none",
    "joint-name": "fill:{ink};font-size:12px;font-weight:600;{halo}",
    "joint-weld": "fill:{soft};font-size:12px;{halo}",
    "joint-note": "fill:{soft};font-size:10.5px;{halo}",
    "coupling": "fill:none;stroke:{coupling};stroke-width:1.8",
    "coupling-arrow": "fill:{coupling};stroke:none",
    "coupling-text": "fill:{coupling};font-size:10.5px;font-weight:600;{halo}",
    "reflected": "fill:{actuator};font-size:10.5px;{halo}",
    "stem": "fill:none;stroke:{rim};stroke-width:1.3",
    "gear": "fill:none;stroke:{transmission};stroke-width:1.8",
    "transmission": "fill:{transmission-fill};stroke:{transmission};stroke-width:1.2",
    "transmission-text": "fill:{transmission};font-size:11px;font-weight:600",
    "actuator": "fill:{actuator-fill};stroke:{actuator};stroke-width:1.2",
    "actuator-text": "fill:{actuator};font-size:11px;font-weight:600",
    "sensor": "fill:{sensor-fill};stroke:{sensor};stroke-width:1.2",
    "sensor-text": "fill:{sensor};font-size:11px;font-weight:600",
    "loop": "fill:none;stroke:{loop};stroke-width:1.7;stroke-dasharray:6 4",
    "loop-arrow": "fill:{loop};stroke:none",
    "loop-text": "fill:{loop};font-size:12px;font-weight:600",
}

_HALO = "paint-order:stroke;stroke:{page};stroke-width:3px;stroke-linejoin:round"


def style_sheet() -> str:
    light, dark = ("\n".join(_rules(i)) for i in (0, 1))
    font = "text{font-family:system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif}"
    return f"<style>\n{font}\n{light}\n@media (prefers-color-scheme: dark){{\n{dark}\n}}\n</style>"


def _rules(scheme: int) -> list[str]:
    colours = {role: pair[scheme] for role, pair in COLOURS.items()}
    return [f".{name}{{{_filled(rule, colours)}}}" for name, rule in RULES.items()]


def _filled(rule: str, colours: dict[str, str]) -> str:
    rule = rule.replace("{halo}", _HALO)
    for role, colour in colours.items():
        rule = rule.replace(f"{{{role}}}", colour)
    return rule
