"""The look of the report and of its pictures: one palette for light pages and one for dark ones."""

from __future__ import annotations

# role → colour on a light page, colour on a dark one; lines as in gearwright.display.plots, brighter in the dark
COLOURS = {
    "page": ("#fbfbfa", "#14161b"),
    "card": ("#ffffff", "#1c1f26"),
    "rim": ("#e4e6ea", "#2b303a"),
    "ink": ("#1d2129", "#e8eaee"),
    "soft": ("#626a78", "#9aa3b2"),
    "grid": ("#e9ebef", "#2b303a"),
    "axis": ("#aab1bd", "#566071"),
    "edge": ("#2a2f3a", "#0d0f13"),
    "blue": ("#0072b2", "#4fb0ea"),
    "orange": ("#d98f00", "#f2b441"),
    "green": ("#009e73", "#35cfa0"),
    "pink": ("#c2669a", "#ea9dca"),
    "red": ("#d55e00", "#ff8a4d"),
    "sky": ("#3f9fd8", "#8fd0ff"),
    "violet": ("#7f6bb3", "#b3a2ea"),
    "grey": ("#7d8592", "#8a93a3"),
}
FONT = "system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif"
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

# of charts and drawings: inside the page, and inside a picture that stands alone
PICTURE_RULES = f"""
.chart text{{font-family:{FONT};font-size:11.5px;fill:var(--soft)}}
.chart .unit{{fill:var(--ink);font-weight:600}}
.chart .note{{fill:var(--ink);font-size:11px;paint-order:stroke;
stroke:var(--card);stroke-width:4px;stroke-linejoin:round}}
.chart .grid{{stroke:var(--grid);stroke-width:1;fill:none}}
.chart .axis{{stroke:var(--axis);stroke-width:1;fill:none}}
.chart .line{{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}}
.chart .dash{{stroke-dasharray:6 5}}
.chart .thin{{stroke-width:1.3}}
.chart .area{{stroke:none;fill-opacity:.8}}
.chart .pale{{stroke:none;fill-opacity:.13}}
.chart .dot{{stroke:var(--card);stroke-width:2}}
.robot polygon{{fill:currentColor;stroke:currentColor;stroke-width:.7;stroke-linejoin:round}}
.robot text{{font-family:{FONT};font-size:12px;fill:var(--soft)}}
.robot .path{{fill:none;stroke-width:1.6;stroke-linecap:round}}
.f{{visibility:hidden}}
@media (prefers-reduced-motion:reduce){{.f{{animation:none!important}}.f.still{{visibility:visible}}}}
"""


def variables() -> str:
    """The palette as CSS variables."""
    light, dark = (";".join(f"--{role}:{pair[i]}" for role, pair in COLOURS.items()) for i in (0, 1))
    return f":root{{color-scheme:light dark;{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


def classes() -> str:
    """`.blue` colours a line, `.blue-fill` an area."""
    roles = [role for role in COLOURS if role not in ("page", "card", "rim", "grid", "axis", "edge")]
    return "".join(f".chart .{r},.robot .{r}{{stroke:var(--{r})}}.chart .{r}-fill{{fill:var(--{r})}}" for r in roles)


def alone(svg: str) -> str:
    """A picture that carries its style, on a background of its own."""
    start = svg.index(">") + 1
    style = f"<style>{variables()}{classes()}{PICTURE_RULES}svg{{background:var(--card);border-radius:10px}}</style>"
    head = (
        svg[:start]
        if "xmlns" in svg[:start]
        else svg[:start].replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    )
    return f"{head}{style}{svg[start:]}\n"
