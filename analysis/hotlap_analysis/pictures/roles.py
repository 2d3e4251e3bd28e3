"""Did a role that was drawn by a coin matter? A dot a round, split by who had the role."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator

from hotlap_analysis import verdicts, wording
from hotlap_analysis.facts import Comparison, RoleEffect
from hotlap_analysis.pictures.canvas import Palette, Sheet, signed_ticks

ROW = 24


def draw(comparison: Comparison, effects: list[RoleEffect], width: int, palette: Palette) -> Sheet:
    lines = [(e, side) for e in effects for side in ("lower", "higher")]
    sheet = Sheet(width, len(lines) * ROW + 8 * len(effects) + 48, palette)
    left = 150 if sheet.narrow else 232
    tall = len(lines) * ROW + 8 * len(effects)
    axes = sheet.axes(left, 6, width - left - 16, tall)
    axes.set_ylim(tall, 0)
    axes.set_yticks([])
    axes.grid(axis="x", color=palette.grid, linewidth=0.8)
    if comparison.estimate is not None:
        axes.axvline(comparison.estimate, color=palette.muted, linewidth=1.0, dashes=(2, 3))
    color = palette.arm(comparison.index)
    for place, (effect, side) in enumerate(lines):
        y = place * ROW + 8 * (place // 2) + ROW / 2.0
        values = effect.d_lower if side == "lower" else effect.d_higher
        shown = [verdicts.percent(d) if comparison.relative else d for d in values]
        jitter = [((i * 0.618034) % 1.0 - 0.5) * 8.0 for i in range(len(shown))]
        axes.plot(shown, [y + j for j in jitter], "o", color=color, markersize=4.5, alpha=0.55,
                  markeredgewidth=0)  # fmt: skip
        if shown:
            middle = float(np.median(shown))
            axes.plot([middle, middle], [y - 9, y + 9], "-", color=palette.ink, linewidth=2.0)
        word = effect.lower if side == "lower" else effect.higher
        axes.annotate(
            f"{effect.role} {word} ({len(shown)})".replace("environment ", "" if sheet.narrow else
                                                           "environment "),
            (0.0, y), xycoords=("axes fraction", "data"), xytext=(-left, 0), va="center",
            textcoords="offset points", fontsize=11, color=palette.ink, annotation_clip=False,
        )  # fmt: skip
    axes.xaxis.set_major_locator(MaxNLocator(5 if sheet.narrow else 8))
    signed_ticks(axes.xaxis)
    axes.set_xlabel(f"change of {comparison.title} ({comparison.unit})", fontsize=11,
                    color=palette.muted)  # fmt: skip
    return sheet
