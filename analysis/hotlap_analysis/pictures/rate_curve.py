"""Latency against rate: what a search for the highest rate tried, and the limit it was held to.

Both axes are logarithmic. A step that broke the promise is hollow; one with too few samples for a
quantile has no point there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from hotlap_analysis.pictures.canvas import Palette, Sheet, end_labels

if TYPE_CHECKING:
    from hotlap_analysis.search import Search, Step

HEIGHT = 330
ROUND = [m * 10.0**e for e in range(-3, 9) for m in (1, 2, 5)]


def draw(search: Search, width: int, palette: Palette) -> Sheet:
    sheet = Sheet(width, HEIGHT, palette)
    axes = sheet.axes(58, 30, width - 58 - (60 if sheet.narrow else 90), HEIGHT - 86)
    sheet.text(0, 14, "response time (µs)", color=palette.muted)
    axes.set_xscale("log")
    axes.set_yscale("log")
    ends = []
    for place, name in enumerate(search.shown):
        color = palette.arm(place)
        points = [(s.rate, s.times[name], s.kept) for s in search.by_rate if name in s.times]
        if not points:
            continue
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], "-", color=color,
                  linewidth=1.6)  # fmt: skip
        for x, y, kept in points:
            axes.plot([x], [y], "o", color=color, markersize=6, markeredgewidth=1.4,
                      markerfacecolor=color if kept else palette.surface)  # fmt: skip
        ends.append((points[-1][1], name, color))
    axes.axhline(search.limit_us, color=palette.bad, linewidth=1.0, linestyle=(0, (4, 3)))
    _scale(axes, search)
    axes.set_xlabel("asked for, requests a second", fontsize=11, color=palette.muted)
    ends.append((search.limit_us, "limit", palette.bad))
    end_labels(sheet, axes, ends)
    return sheet


def _scale(axes: Axes, search: Search) -> None:
    rates = [step.rate for step in search.steps]
    times = [y for step in search.steps for y in _shown(search, step)] + [search.limit_us]
    low, high = min(rates) / 1.15, max(rates) * 1.15
    bottom, top = min(times) / 1.4, max(times) * 1.4
    axes.set_xlim(low, high)
    axes.set_ylim(bottom, top)
    for axis, begin, end in ((axes.xaxis, low, high), (axes.yaxis, bottom, top)):
        ticks = [t for t in ROUND if begin <= t <= end] or [begin, end]
        axis.set_minor_locator(NullLocator())
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def _shown(search: Search, step: Step) -> list[float]:
    return [step.times[name] for name in search.shown if name in step.times]
