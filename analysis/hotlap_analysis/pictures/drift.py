"""Each arm's CPU per request over the run, and the ratio of neighbours, at one scale.

The upper panel shows what the machine did, the lower what was left of it once slices a few
milliseconds apart were compared. Both span the same per cent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hotlap_analysis import wording
from hotlap_analysis.facts import Facts
from hotlap_analysis.metrics import Floats
from hotlap_analysis.pictures.canvas import Palette, Sheet, end_labels, signed_ticks

BINS = 160
FEWEST = 4  # points without which there is nothing to see


@dataclass
class Course:
    """Bins of the run: time in s, CPU per request of each arm in ns."""

    seconds: Floats
    cpu_ns: dict[str, Floats]
    by: str  # "slices" or "rounds"

    def ratio(self, arm: str, first: str) -> Floats:
        return np.asarray(100.0 * (self.cpu_ns[arm] / self.cpu_ns[first] - 1.0))

    def wander(self, arm: str) -> float:
        """From the 5th to the 95th percentile of the bins, in per cent of their median."""
        return _wander(100.0 * self.cpu_ns[arm] / np.median(self.cpu_ns[arm]))

    def ratio_wander(self, arm: str, first: str) -> float:
        return _wander(self.ratio(arm, first))


def _wander(values: Floats) -> float:
    low, high = np.percentile(values, [5, 95])
    return float(high - low)


def course(facts: Facts) -> Course | None:
    """By slices where they were kept, else by rounds; None where CPU was not counted."""
    starts = _round_starts(facts)
    slices = facts.tables.slices
    if len(slices) and "server_cpu_ns" in slices and slices["server_cpu_ns"].notna().any():
        rows = slices[slices["pass"] == "timing"]
        rows = rows[rows["round"].isin(starts.index) & rows["server_cpu_ns"].notna()]
        at = rows["round"].map(starts) + rows["start_ns"]
        return _binned(facts, at / 1e9, rows["arm"], rows["server_cpu_ns"], rows["ok"], "slices")
    rows = facts.tables.rounds
    rows = rows[(rows["pass"] == "timing") & rows["cpu_ns"].notna()]
    at = rows["round"].map(starts)
    return _binned(facts, at / 1e9, rows["arm"], rows["cpu_ns"], rows["ok"], "rounds")


def _round_starts(facts: Facts) -> pd.Series:
    rows = facts.tables.rounds
    rows = rows[rows["pass"] == "timing"]
    if "round_ns" in rows and rows["round_ns"].notna().any():
        length = rows.groupby("round")["round_ns"].max().fillna(0.0)
    else:
        length = rows.groupby("round")["own_slices_ns"].sum()
    return (length.cumsum() - length).sort_index()


def _binned(
    facts: Facts, seconds: pd.Series, arm: pd.Series, cpu: pd.Series, ok: pd.Series, by: str
) -> Course | None:
    if not len(seconds):
        return None
    if by == "slices":
        end = float(seconds.max()) + 1e-9
        place = np.floor(seconds / end * BINS)
    else:
        place = seconds
    frame = pd.DataFrame({"place": place, "s": seconds, "arm": arm, "cpu": cpu, "ok": ok})
    sums = frame.groupby(["place", "arm"]).agg(
        s=("s", "mean"), cpu=("cpu", "sum"), ok=("ok", "sum")
    )
    value = (sums["cpu"] / sums["ok"].where(sums["ok"] > 0)).unstack("arm").dropna()
    names = [a.name for a in facts.run.arms]
    if len(value) < FEWEST or any(name not in value for name in names):
        return None
    when = sums["s"].unstack("arm").loc[value.index].mean(axis=1).to_numpy()
    return Course(when, {name: value[name].to_numpy() for name in names}, by)


def draw(facts: Facts, found: Course, width: int, palette: Palette) -> Sheet:
    sheet = Sheet(width, 416, palette)
    right = 16 if sheet.narrow else 130
    upper = sheet.axes(50, 34, width - 50 - right, 170)
    lower = sheet.axes(50, 240, width - 50 - right, 130)
    factor, unit = (1000.0, "µs") if np.median(found.cpu_ns[facts.first]) >= 1000 else (1.0, "ns")
    sheet.text(0, 14, f"CPU per request ({unit})", color=palette.muted)
    sheet.text(0, 228, "ratio to the first arm, less 1 (%)" if sheet.narrow else
               f"change against {facts.labels[facts.first]} in the same moment (%)",
               color=palette.muted)  # fmt: skip
    for arm in facts.run.arms:
        color = palette.arm(facts.arm_index(arm.name))
        upper.plot(found.seconds, found.cpu_ns[arm.name] / factor, "-", color=color, linewidth=1.3)
        if arm.name != facts.first:
            lower.plot(found.seconds, found.ratio(arm.name, facts.first), "-", color=color,
                       linewidth=1.3)  # fmt: skip
    lower.axhline(0.0, color=palette.muted, linewidth=1.0)
    _limits(upper, lower, facts, found, factor)
    for axes in (upper, lower):
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_xlim(0.0, float(found.seconds[-1]) * 1.01)
    upper.tick_params(labelbottom=False)
    upper.yaxis.set_major_locator(MaxNLocator(5))
    lower.yaxis.set_major_locator(MaxNLocator(4))
    signed_ticks(lower.yaxis)
    lower.set_xlabel("time from the first round (s)", fontsize=11, color=palette.muted)
    _names(sheet, upper, facts, found, factor)
    return sheet


def _limits(upper: Axes, lower: Axes, facts: Facts, found: Course, factor: float) -> None:
    """Both panels span the same per cent for each pixel, so that the eye can compare them."""
    levels = np.concatenate(list(found.cpu_ns.values())) / factor
    low, high = float(levels.min()), float(levels.max())
    room = 0.06 * (high - low) or 0.01 * high
    upper.set_ylim(low - room, high + room)
    base = float(np.median(found.cpu_ns[facts.first])) / factor
    span = 100.0 * (high - low + 2 * room) / base * (130.0 / 170.0)
    others = [found.ratio(a.name, facts.first) for a in facts.run.arms[1:]]
    values = np.concatenate([*others, [0.0]])
    middle = (float(values.min()) + float(values.max())) / 2.0
    span = max(span, 1.15 * float(np.ptp(values)))
    lower.set_ylim(middle - span / 2.0, middle + span / 2.0)


def _names(sheet: Sheet, upper: Axes, facts: Facts, found: Course, factor: float) -> None:
    """At the curves' ends, or in a row above them on a phone."""
    colors = {arm.name: sheet.palette.arm(facts.arm_index(arm.name)) for arm in facts.run.arms}
    labels = {name: wording.brief(facts.labels[name]) for name in colors}
    if not sheet.narrow:
        tail = max(1, len(found.seconds) // 20)
        ends = [
            (float(found.cpu_ns[name][-tail:].mean()) / factor, labels[name], color)
            for name, color in colors.items()
        ]
        end_labels(sheet, upper, ends)
        return
    x = 50.0
    for name, color in colors.items():
        sheet.text(x, 30, labels[name], color=color, fontweight="bold", fontsize=10.5)
        x += 8.0 * len(labels[name]) + 8.0
