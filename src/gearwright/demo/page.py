"""The demo's report: its chapters, its speed, and what to try next."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gearwright.demo.chapter import Chapter, TextTable
from gearwright.demo.document import document, fact_list, figure_cards, graph_card, table_card
from gearwright.display.summary import summary


def page(chapters: Sequence[Chapter], speed: Sequence[TextTable], about: str) -> str:
    """The whole document."""
    named = [(f"part{i}", chapter) for i, chapter in enumerate(chapters, start=1)]
    links = "".join(f'<a href="#{name}">{escape(chapter.title)}</a>' for name, chapter in named)
    body = [
        "<header><h1>Gearwright, the first minute</h1>"
        '<p class="lead">Three robots from their files: motors, gears, couplings, stops and encoders, solved together '
        "in every time step, by machine code that is compiled for each of them. Everything on this page was computed "
        f'while you waited.</p><nav>{links}<a href="#speed">Speed</a><a href="#next">What to try</a></nav></header>',
        *(_chapter(name, i, chapter) for i, (name, chapter) in enumerate(named, start=1)),
        _speed(speed, len(chapters) + 1),
        _next(),
        f"<footer>{escape(about)}</footer>",
    ]
    return document("Gearwright: the first minute", body)


def _chapter(name: str, number: int, chapter: Chapter) -> str:
    found = summary(chapter.robot)
    strip = "".join(chapter.film.strip(chapter.moments))
    return (
        f'<section id="{name}"><div class="opening"><div><span class="number">{number}</span>'
        f"<h2>{escape(chapter.title)}</h2><p>{escape(chapter.lead)}</p>"
        f'<p class="small">{escape(found.parts)}; {escape(found.freedom)}.</p>{fact_list(chapter.facts)}</div>'
        f'<div class="card stage">{chapter.film.loop(chapter.seconds)}</div></div>'
        f'<div class="card strip">{strip}</div><p class="small">{escape(chapter.strip_caption)}</p>'
        f'<div class="figures">{figure_cards(chapter.figures)}</div>'
        f"{''.join(table_card(t) for t in chapter.tables)}{graph_card(chapter.robot)}</section>"
    )


def _speed(tables: Sequence[TextTable], number: int) -> str:
    return (
        f'<section id="speed"><span class="number">{number}</span><h2>Speed</h2><p>Each mechanism is compiled to '
        "machine code of its own, with nothing in it that this robot does not need.</p>"
        f"{''.join(table_card(t) for t in tables)}</section>"
    )


def _next() -> str:
    code = """import gearwright as gw

sim = gw.compile(gw.load("gripper"), dt=1e-3)
run = sim.run(0.3, command={"motor": 0.012})
print(run.position["left_finger"][-1], run.sensor["motor_encoder"][-1])"""
    return (
        '<section id="next"><h2>What to try</h2><p>The robots are small files, made to be read and changed. '
        "<code>gearwright check</code> says what is wrong with one of yours, <code>gearwright show</code> draws it, "
        f"<code>gearwright run</code> simulates it.</p><pre>{escape(code)}</pre></section>"
    )
