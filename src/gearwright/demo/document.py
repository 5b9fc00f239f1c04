"""The parts of a report: one HTML file with everything inside it, for light and dark, for a wide screen and a phone."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from gearwright.demo.chapter import Fact, Figure, TextTable
from gearwright.display.chart_style import FONT, MONO, PICTURE_RULES, classes, variables
from gearwright.display.charts import WIDE
from gearwright.display.graph_svg import graph_svg
from gearwright.model import Mechanism

PAGE_RULES = f"""
*{{box-sizing:border-box}}
body{{margin:0;background:var(--page);color:var(--ink);font:16px/1.6 {FONT};-webkit-text-size-adjust:100%}}
main{{max-width:1120px;margin:0 auto;padding:0 24px 72px}}
header{{padding:64px 0 8px}}
h1{{font-size:clamp(34px,6vw,54px);line-height:1.05;letter-spacing:-.025em;margin:0 0 14px;font-weight:700}}
h2{{font-size:clamp(26px,4vw,34px);line-height:1.15;letter-spacing:-.02em;margin:0 0 10px;font-weight:680}}
h3{{font-size:16px;line-height:1.35;margin:0 0 12px;font-weight:650}}
p{{margin:0 0 14px}}
.lead{{font-size:18px;color:var(--soft);max-width:46em}}
nav{{display:flex;flex-wrap:wrap;gap:8px 22px;margin:20px 0 0;font-size:15px}}
nav a,footer a{{color:var(--blue);text-decoration:none;border-bottom:1px solid transparent}}
nav a:hover{{border-color:var(--blue)}}
section{{padding-top:64px;scroll-margin-top:0}}
.number{{display:block;font-size:13px;font-weight:650;letter-spacing:.08em;color:var(--soft);margin-bottom:6px}}
.opening{{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.05fr);gap:40px;align-items:center}}
.card,figure{{background:var(--card);border:1px solid var(--rim);border-radius:14px;margin:0}}
.stage{{padding:18px;display:flex;justify-content:center}}
.stage svg{{max-height:380px}}
svg{{display:block;max-width:100%;height:auto}}
.facts{{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:18px 24px;margin:26px 0 0;padding:0}}
.facts dt{{font-size:24px;font-weight:680;letter-spacing:-.015em;line-height:1.2}}
.facts dd{{margin:3px 0 0;font-size:14px;line-height:1.45;color:var(--soft)}}
.strip{{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:6px;padding:20px 18px 12px;margin-top:24px}}
.strip svg{{width:100%}}
.small{{font-size:14px;line-height:1.5;color:var(--soft)}}
.strip + .small{{margin:8px 4px 0}}
.figures{{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:22px;margin-top:26px}}
figure{{padding:20px 22px 18px;display:flex;flex-direction:column}}
figure svg{{width:100%}}
figcaption{{font-size:14px;line-height:1.5;color:var(--soft);margin-top:12px}}
.figures figure:last-child:nth-child(odd){{grid-column:1/-1}}
.narrow{{display:none}}
.sheet{{overflow-x:auto;padding:16px 22px 12px;margin-top:22px}}
table{{border-collapse:collapse;width:100%;font-size:15px;font-variant-numeric:tabular-nums}}
caption{{text-align:left;font-weight:650;font-size:16px;padding:2px 0 8px}}
th{{font-weight:500;font-size:13px;color:var(--soft);text-align:right;padding:6px 0 6px 24px;
border-bottom:1px solid var(--rim);white-space:nowrap}}
td{{text-align:right;padding:8px 0 8px 24px;border-bottom:1px solid var(--grid);white-space:nowrap}}
tr:last-child td{{border-bottom:0}}
th:first-child,td:first-child{{text-align:left;padding-left:0;white-space:normal}}
details{{margin-top:20px}}
summary{{cursor:pointer;font-size:15px;color:var(--blue)}}
details .card{{margin-top:12px;overflow-x:auto;padding:8px}}
details img{{display:block;max-width:none}}
code,pre{{font-family:{MONO};font-size:13.5px}}
pre{{background:var(--card);border:1px solid var(--rim);border-radius:14px;padding:18px 22px;
overflow-x:auto;line-height:1.6;margin:22px 0 0}}
footer{{margin-top:64px;padding-top:20px;border-top:1px solid var(--rim);font-size:14px;color:var(--soft)}}
@media (max-width:820px){{
.opening,.figures{{grid-template-columns:minmax(0,1fr);gap:22px}}
.broad{{display:none}}
.narrow{{display:block}}
main{{padding:0 16px 48px}}
header{{padding-top:40px}}
section{{padding-top:48px}}
figure{{padding:16px 14px}}
.strip{{grid-template-columns:repeat(3,minmax(0,1fr));gap:14px 8px;padding:16px 12px 10px}}
.sheet{{padding:14px 16px 10px}}
.chart text{{font-size:13px}}
th,td{{padding-left:12px;font-size:14px}}
th{{font-size:12px;white-space:normal;vertical-align:bottom}}
pre{{padding:14px;font-size:12px;white-space:pre-wrap;overflow-wrap:anywhere}}
}}
@media print{{.card,figure{{break-inside:avoid}}}}
"""


def document(title: str, body: Sequence[str]) -> str:
    """A page that stands alone."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escape(title)}</title>'
        f"<style>{variables()}{PICTURE_RULES}{classes()}{PAGE_RULES}</style></head>\n<body><main>"
        + "\n".join(body)
        + "</main></body></html>\n"
    )


def fact_list(facts: Sequence[Fact]) -> str:
    parts = (f"<div><dt>{escape(f.number)}</dt><dd>{escape(f.meaning)}</dd></div>" for f in facts)
    return f'<dl class="facts">{"".join(parts)}</dl>'


def figure_cards(figures: Sequence[Figure]) -> str:
    """Two in a row; the last of an odd number is as wide as the page, on a phone like the others."""
    alone = len(figures) % 2 == 1
    return "".join(_figure(f, wide=alone and f is figures[-1]) for f in figures)


def _figure(figure: Figure, wide: bool) -> str:
    chart = figure.chart.svg()
    if wide:
        broad = replace(figure.chart, width=WIDE).svg()
        chart = f'<div class="broad">{broad}</div><div class="narrow">{chart}</div>'
    caption = f"<figcaption>{escape(figure.caption)}</figcaption>"
    return f"<figure><h3>{escape(figure.title)}</h3>{chart}{caption}</figure>"


def table_card(table: TextTable) -> str:
    head = "".join(f"<th>{escape(c)}</th>" for c in table.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(c)}</td>' for c in row)}</tr>" for row in table.rows)
    below = f'<p class="small">{escape(table.caption)}</p>' if table.caption else ""
    return (
        f'<div class="card sheet"><table><caption>{escape(table.title)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{below}</div>"
    )


def graph_card(robot: Mechanism, opened: bool = False) -> str:
    """As an image, so that its style stays its own."""
    data = b64encode(graph_svg(robot).encode()).decode()
    return (
        f"<details{' open' if opened else ''}><summary>The mechanism as a graph: links, joints, gears, motors, encoders"
        f'</summary><div class="card"><img alt="mechanism graph of the {escape(robot.name)}" '
        f'src="data:image/svg+xml;base64,{data}"></div></details>'
    )
