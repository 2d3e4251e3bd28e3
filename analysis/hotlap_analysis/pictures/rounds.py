"""A dot a round: d of each, the estimate's band, the margin, and where the plan looked."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hotlap_analysis import wording
from hotlap_analysis.facts import Comparison
from hotlap_analysis.pictures.canvas import Palette, Sheet, signed_ticks

ROW = 300


def height(comparisons: list[Comparison]) -> int:
    return ROW * len(comparisons)


def draw(comparisons: list[Comparison], width: int, palette: Palette) -> Sheet:
    sheet = Sheet(width, height(comparisons), palette)
    for row, comparison in enumerate(comparisons):
        axes = sheet.axes(50, 34 + row * ROW, width - 50 - (62 if sheet.narrow else 84), ROW - 82)
        panel(sheet, axes, comparison, f"{row}")
        sheet.text(0, 14 + row * ROW, _title(comparison, sheet.narrow), color=palette.muted)
    return sheet


def _title(comparison: Comparison, narrow: bool) -> str:
    if narrow:
        return f"change of {comparison.title}, {comparison.unit} (a dot a round)"
    arms = f"{comparison.label} against {comparison.first}"
    return f"change of {comparison.title}, {arms} ({comparison.unit})"


def panel(sheet: Sheet, axes: Axes, comparison: Comparison, key: str) -> None:
    palette = sheet.palette
    color = palette.arm(comparison.index)
    values = comparison.values
    axes.axhline(0.0, color=palette.muted, linewidth=1.0)
    if comparison.interval is not None:
        axes.axhspan(*comparison.interval, color=color, alpha=0.22, linewidth=0)
    if comparison.estimate is not None:
        axes.axhline(comparison.estimate, color=color, linewidth=1.6)
    for number, value in zip(comparison.rounds, values):
        gid = f"round{key}-{number}"
        sheet.tips[gid] = f"round {number}: {wording.fixed(value, 2, sign=True)} {comparison.unit}"
        axes.plot(
            [number], [value], "o", markersize=6, markerfacecolor=color, gid=gid,
            markeredgecolor=palette.surface, markeredgewidth=1.0,
        )  # fmt: skip
    _limits(axes, comparison)
    _looks(sheet, axes, comparison)
    _void(sheet, axes, comparison)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    signed_ticks(axes.yaxis)
    axes.xaxis.set_major_locator(MaxNLocator(6 if sheet.narrow else 12, integer=True))
    axes.set_xlabel("round", fontsize=11, color=palette.muted)
    _estimate_label(sheet, axes, comparison)


def _limits(axes: Axes, comparison: Comparison) -> None:
    """Zero is in the picture unless the dots would be squeezed into a line."""
    shown = [*comparison.values, *(comparison.interval or ())]
    low, high = min(shown), max(shown)
    if max(low, -high) < 6.0 * (high - low) or low == high:
        low, high = min(low, 0.0), max(high, 0.0)
    room = max(0.14 * (high - low), 0.02)
    axes.set_ylim(low - room, high + 1.4 * room)
    last = max([*comparison.rounds, *comparison.void_rounds, 1])
    axes.set_xlim(min([*comparison.rounds, *comparison.void_rounds, 1]) - 0.8, last + 0.8)
    margin = comparison.margin
    if margin is not None and margin < max(abs(low), abs(high)) * 3:
        for edge in (-margin, margin):
            if low - room < edge < high + room:
                axes.axhline(edge, color=axes.spines["bottom"].get_edgecolor(), linewidth=0.8,
                             dashes=(7, 4))  # fmt: skip


def _looks(sheet: Sheet, axes: Axes, comparison: Comparison) -> None:
    """A look comes after so many rounds that count, which void rounds push to a later index."""
    for look in comparison.looks:
        if look > len(comparison.rounds):
            continue
        at = comparison.rounds[look - 1] + 0.5
        axes.axvline(at, color=sheet.palette.muted, linewidth=0.8, dashes=(1, 2))
        axes.annotate(
            f"look {look}", (at, 1.0), xycoords=("data", "axes fraction"), xytext=(-3, -2),
            textcoords="offset points", fontsize=10, color=sheet.palette.muted, ha="right",
            va="top",
        )  # fmt: skip


def _void(sheet: Sheet, axes: Axes, comparison: Comparison) -> None:
    if not comparison.void_rounds:
        return
    axes.plot(
        comparison.void_rounds, np.full(len(comparison.void_rounds), 0.03), "x", markersize=5,
        color=sheet.palette.muted, transform=axes.get_xaxis_transform(), clip_on=False,
    )  # fmt: skip


def _estimate_label(sheet: Sheet, axes: Axes, comparison: Comparison) -> None:
    if comparison.estimate is None:
        return
    text = comparison.estimate_text
    axes.annotate(
        text, (1.0, comparison.estimate), xycoords=("axes fraction", "data"), xytext=(6, 0),
        textcoords="offset points", fontsize=13 if not sheet.narrow else 12, va="center",
        color=sheet.palette.arm(comparison.index), fontweight="bold", annotation_clip=False,
    )  # fmt: skip
