"""Latency percentiles of every arm on the log-of-1/(1-q) axis, from latency.csv.

A quantile is drawn only where 10/(1-q) samples stand behind it, and only up to a tenth of a slice:
beyond that a slice's edges shape the tail.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from hotlap_analysis import wording
from hotlap_analysis.facts import Facts
from hotlap_analysis.metrics import Floats
from hotlap_analysis.pictures.canvas import Palette, Sheet, end_labels

QUANTILES = (0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)
SAMPLES_BEYOND = 10.0


@dataclass
class Curve:
    """x = log10 1/(1-q) and the latency there, in µs; `cut` where a slice's length ended it."""

    arm: str
    x: Floats
    us: Floats
    count: int
    cut: bool

    def at(self, q: float) -> float | None:
        x = -np.log10(1.0 - q)
        if not len(self.x) or x > self.x[-1] + 1e-9:
            return None
        return float(self.us[np.searchsorted(self.x, x + 1e-9, side="right") - 1])


def curves(facts: Facts) -> list[Curve]:
    latency = facts.tables.latency
    void = set(facts.void[facts.void["pass"] == "timing"]["round"])
    whole = set(facts.tables.timing()["round"])
    rows = latency[(latency["pass"] == "timing") & latency["round"].isin(whole - void)]
    limit = facts.run.slice_ms
    found = [
        curve(arm.name, rows[rows["arm"] == arm.name], None if limit is None else limit * 100.0)
        for arm in facts.run.arms
    ]
    return [c for c in found if len(c.x) > 1]


def curve(arm: str, rows: pd.DataFrame, limit_us: float | None) -> Curve:
    """Nearest rank, as steps: a bucket's replies are at its upper edge, as HDR histograms do."""
    merged = rows.groupby("high_ns")["count"].sum().sort_index()
    merged = merged[merged > 0]
    total = float(merged.sum())
    if total < 2 * SAMPLES_BEYOND:
        return Curve(arm, np.array([]), np.array([]), int(total), False)
    below = np.concatenate([[0.0], merged.cumsum().to_numpy()[:-1]]) / total
    x = -np.log10(1.0 - below)
    us = merged.index.to_numpy() / 1000.0
    inside = x <= np.log10(total / SAMPLES_BEYOND)
    beyond = us > limit_us if limit_us is not None else np.zeros(len(us), bool)
    cut = bool((inside & beyond).any())
    keep = inside & ~beyond
    x, us = x[keep], us[keep]
    if len(x) and not cut:
        # The last bucket drawn reaches as far as samples support it.
        x, us = np.append(x, np.log10(total / SAMPLES_BEYOND)), np.append(us, us[-1])
    return Curve(arm, x, us, int(total), cut)


def draw(
    facts: Facts, found: list[Curve], dashed: list[Curve], width: int, palette: Palette
) -> Sheet:
    """Those of `dashed` lie beneath, in their arm's colour and without a name."""
    sheet = Sheet(width, 322, palette)
    axes = sheet.axes(50, 34, width - 50 - (20 if sheet.narrow else 150), 240)
    sheet.text(0, 14, "latency (µs)", color=palette.muted)
    last = max(float(c.x[-1]) for c in found)
    for item in dashed:
        color = palette.arm(facts.arm_index(item.arm))
        axes.plot(item.x, item.us, "--", color=color, linewidth=1.2, alpha=0.8,
                  drawstyle="steps-post")  # fmt: skip
    for item in found:
        color = palette.arm(facts.arm_index(item.arm))
        axes.plot(item.x, item.us, "-", color=color, linewidth=1.8, solid_joinstyle="round",
                  drawstyle="steps-post")  # fmt: skip
        for q in QUANTILES:
            value = item.at(q)
            if value is not None:
                axes.plot([-np.log10(1.0 - q)], [value], "o", color=color, markersize=5,
                          markeredgecolor=palette.surface, markeredgewidth=1.0)  # fmt: skip
    _scale(axes, [*found, *dashed])
    ticks = [q for q in QUANTILES if -np.log10(1.0 - q) <= last + 1e-9]
    axes.xaxis.set_major_locator(FixedLocator([0.0, *(-np.log10(1.0 - q) for q in ticks)]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{100 * (1 - 10 ** -x):.10g}"))
    axes.set_xlim(0.0, last * 1.02)
    axes.set_xlabel("percentile (%), spaced by 1/(1 − q)", fontsize=11, color=palette.muted)
    _labels(sheet, axes, facts, found)
    return sheet


def _scale(axes: Axes, found: list[Curve]) -> None:
    low = min(float(c.us[0]) for c in found)
    high = max(float(c.us[-1]) for c in found)
    if high > 10 * low:
        axes.set_yscale("log")
        axes.set_ylim(low * 0.8, high * 1.3)
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.10g}"))
        steps = [m * 10.0**e for e in range(-3, 8) for m in (1, 2, 5)]
        axes.yaxis.set_major_locator(FixedLocator([s for s in steps if low * 0.8 < s < high * 1.3]))
    else:
        axes.set_ylim(0.0, high * 1.08)
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.10g}"))


def _labels(sheet: Sheet, axes: Axes, facts: Facts, found: list[Curve]) -> None:
    """Names at the curves' ends; on a phone they stand in rows within the picture."""
    colors = [sheet.palette.arm(facts.arm_index(item.arm)) for item in found]
    limit = 30 if sheet.narrow else 19
    texts = [wording.brief(facts.labels[item.arm], limit) for item in found]
    if not sheet.narrow:
        end_labels(sheet, axes, [(float(c.us[-1]), t, k) for c, t, k in zip(found, texts, colors)])
        return
    for place, (text, color) in enumerate(zip(texts, colors)):
        axes.annotate(
            text, (0.04, 0.98 - 0.075 * place), xycoords="axes fraction", fontsize=11,
            color=color, va="top", fontweight="bold",
        )  # fmt: skip
