"""The picture for READMEs: the sentence, a dot a round, and every metric's ratio."""

from __future__ import annotations

import textwrap

from hotlap_analysis import wording
from hotlap_analysis.facts import Facts
from hotlap_analysis.pictures import forest, rounds
from hotlap_analysis.pictures.canvas import Palette, Sheet

WIDTH = 1180


def draw(facts: Facts, sentence: str, palette: Palette, width: int = WIDTH) -> Sheet:
    plain = sentence.replace("`", "").replace("**", "")
    title = textwrap.wrap(plain, 104)
    top = 44 + 24 * len(title)
    lines = forest.rows(facts)
    tall = sum(forest.WIDE_ROW if line.verdict else forest.GROUP for line in lines)
    body = max(tall, 240)
    sheet = Sheet(width, top + body + 78, palette)
    for place, line in enumerate(title):
        sheet.text(20, 34 + 24 * place, line, fontsize=16, fontweight="bold")
    comparison = facts.comparisons[0]
    axes = sheet.axes(64, top + 14, 290, body - 14)
    rounds.panel(sheet, axes, comparison, "h")
    sheet.text(20, top, f"{comparison.title}, change in each round ({comparison.unit})",
               color=palette.muted)  # fmt: skip
    footer = (
        f"hotlap · {facts.run.name} · {wording.rounds(facts.finished)} · {facts.run.calibration}"
    )
    sheet.text(20, sheet.height - 14, footer, color=palette.muted, fontsize=10)
    left = 236
    axes = sheet.axes(452 + left, top, width - 452 - left - 270, body)
    axes.set_ylim(tall, 0)
    forest.panel(sheet, axes, facts, lines, body / max(1, len(lines)), left)
    return sheet
