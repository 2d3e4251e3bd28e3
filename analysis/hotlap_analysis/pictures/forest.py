"""Every metric's ratio with its interval, worse and better told by colour and by word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from hotlap_analysis import metrics, wording
from hotlap_analysis.facts import Facts
from hotlap_analysis.pictures.canvas import Palette, Sheet, signed_ticks
from hotlap_analysis.run import Verdict

WIDE_ROW, NARROW_ROW, GROUP, FOOT = 30, 44, 34, 46
LONGEST = 8.0  # an interval this many times the median reach is cut at the edge, with an arrow


@dataclass
class Row:
    """A metric's line, or a group's heading where there is no verdict."""

    text: str
    verdict: Verdict | None
    index: int = 0


def rows(facts: Facts) -> list[Row]:
    lines: list[Row] = []
    for arm in facts.run.arms[1:]:
        shown = [v for v in facts.of_arm(arm.name) if v.estimate_percent is not None]
        if shown and len(facts.run.arms) > 2:
            lines.append(Row(facts.labels[arm.name], None, facts.arm_index(arm.name)))
        lines += [Row(metrics.title(v.metric), v, facts.arm_index(arm.name)) for v in shown]
    return lines


def draw(facts: Facts, width: int, palette: Palette) -> Sheet:
    lines = rows(facts)
    step = NARROW_ROW if width < 600 else WIDE_ROW
    tall = sum(step if line.verdict else GROUP for line in lines)
    sheet = Sheet(width, tall + FOOT + 8, palette)
    left, right = (8, 14) if sheet.narrow else (232, 252)
    axes = sheet.axes(left, 8, width - left - right, tall)
    panel(sheet, axes, facts, lines, step, left)
    return sheet


def panel(
    sheet: Sheet, axes: Axes, facts: Facts, lines: list[Row], step: float, left: float
) -> None:
    palette = sheet.palette
    tall = sum(step if line.verdict else GROUP for line in lines)
    reach = _reach(facts, lines)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(tall, 0)
    axes.set_yticks([])
    axes.grid(axis="x", color=palette.grid, linewidth=0.8)
    axes.axvline(0.0, color=palette.muted, linewidth=1.0, zorder=1)
    y = 0.0
    for line in lines:
        if line.verdict is None:
            _beside(axes, y + GROUP * 0.66, -left, line.text, color=palette.arm(line.index),
                    fontweight="bold")  # fmt: skip
            y += GROUP
            continue
        _line(sheet, axes, facts, line, line.verdict, y, step, left, reach)
        y += step
    axes.xaxis.set_major_locator(MaxNLocator(max(3, int(axes.bbox.width / 75)), symmetric=True))
    signed_ticks(axes.xaxis)
    first = facts.labels[facts.first]
    label = f"change against {first} (%)" if len(first) < 40 else "change against the first arm (%)"
    axes.set_xlabel(label, fontsize=11, color=palette.muted)


def _reach(facts: Facts, lines: list[Row]) -> float:
    far = []
    for line in lines:
        if line.verdict is not None and line.verdict.verdict != "exact":
            points = [line.verdict.estimate_percent or 0.0, *(line.verdict.percent_interval or ())]
            far.append(max(abs(point) for point in points))
    limit = LONGEST * max(float(np.median(far or [0.0])), facts.run.margin_percent)
    inside = [x for x in far if x <= limit]
    return float(1.1 * max([*inside, 1.5 * facts.run.margin_percent]))


def _line(
    sheet: Sheet, axes: Axes, facts: Facts, line: Row, verdict: Verdict, y: float, step: float,
    left: float, reach: float,
) -> None:  # fmt: skip
    color = sheet.palette.verdict(verdict.verdict)
    _margin(sheet, axes, facts, verdict, y, step)
    middle = y + (step * 0.72 if sheet.narrow else step * 0.5)
    _mark(sheet, axes, verdict, middle, color, reach)
    weight = "bold" if verdict.primary else "normal"
    number = wording.percent(verdict.estimate_percent, verdict.percent_interval)
    if sheet.narrow:
        _beside(axes, y + 15, 4 - left, line.text, color=sheet.palette.ink, fontweight=weight)
        axes.annotate(
            f"{number}  {verdict.verdict}", (1.0, y + 15), xycoords=("axes fraction", "data"),
            fontsize=11, color=color, ha="right", va="baseline", annotation_clip=False,
        )  # fmt: skip
        return
    _beside(axes, middle, -left, line.text, color=sheet.palette.ink, va="center", fontweight=weight)
    for offset, text, align in (
        (78, number, "right"),
        (88, _interval(verdict), "left"),
        (252, verdict.verdict, "right"),
    ):
        axes.annotate(
            text, (1.0, middle), xycoords=("axes fraction", "data"), xytext=(offset, 0),
            textcoords="offset points", fontsize=11 if offset != 88 else 10, ha=align, va="center",
            color=color if offset != 88 else sheet.palette.muted, annotation_clip=False,
            fontweight=weight if offset != 88 else "normal",
        )  # fmt: skip


def _margin(
    sheet: Sheet, axes: Axes, facts: Facts, verdict: Verdict, y: float, step: float
) -> None:
    """The metric's own margin as a grey box; none where the verdict is not on the ratio scale."""
    known = metrics.metric(verdict.metric)
    if known is None or known.absolute:
        return
    margin = known.margin(facts.run, True)
    top, tall = (y + 0.46 * step, 0.52 * step) if sheet.narrow else (y + 0.14 * step, 0.72 * step)
    axes.add_patch(
        Rectangle(
            (-margin, top), 2 * margin, tall, color=sheet.palette.band, linewidth=0, zorder=0.9
        )
    )


def _interval(verdict: Verdict) -> str:
    bounds = verdict.percent_interval
    if bounds is None or verdict.verdict == "exact":
        return ""
    digits = wording.decimals(wording.half_width(bounds))
    return f"{wording.fixed(bounds[0], digits, True)} to {wording.fixed(bounds[1], digits, True)}"


def _mark(sheet: Sheet, axes: Axes, verdict: Verdict, y: float, color: str, reach: float) -> None:
    estimate = verdict.estimate_percent or 0.0
    low, high = verdict.percent_interval or (estimate, estimate)
    axes.plot(
        [max(low, -reach), min(high, reach)], [y, y], "-", color=color, linewidth=2.4,
        solid_capstyle="round",
    )  # fmt: skip
    if abs(estimate) <= reach:
        size = 8 if verdict.primary else 6.5
        axes.plot([estimate], [y], "o", color=color, markersize=size,
                  markeredgecolor=sheet.palette.surface, markeredgewidth=1.0)  # fmt: skip
    for edge, cut, shape in ((-reach, low < -reach, "<"), (reach, high > reach, ">")):
        if cut:
            axes.plot([edge], [y], shape, color=color, markersize=7, clip_on=False)


def _beside(axes: Axes, y: float, offset: float, text: str, **options: Any) -> None:
    axes.annotate(
        text, (0.0, y), xycoords=("axes fraction", "data"), xytext=(offset, 0),
        textcoords="offset points", fontsize=11.5, annotation_clip=False,
        **{"va": "baseline", **options},
    )  # fmt: skip
