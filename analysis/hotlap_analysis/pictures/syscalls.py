"""System calls a request: a bar for each arm, a piece of it for each call."""

from __future__ import annotations

from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from hotlap_analysis.calls import OTHER, Calls
from hotlap_analysis.pictures.canvas import Palette, Sheet

BAR, GAP, LEGEND = 30, 34, 18
COLOURS = 5
# A letter's width at the size of labels, in pixels, rather too large than too small.
LETTER = 6.6


def draw(calls: Calls, labels: dict[str, str], width: int, palette: Palette) -> Sheet:
    table = calls.per_request
    arms = list(table.columns)
    across = 2 if width < 600 else 4
    legend_rows = -(-len(calls.names) // across)
    tall = len(arms) * (BAR + GAP)
    sheet = Sheet(width, tall + legend_rows * LEGEND + 64, palette)
    axes = sheet.axes(8, 6, width - 24, tall)
    most = float(table.sum().max())
    axes.set_xlim(0, most)
    axes.set_ylim(tall, 0)
    axes.set_yticks([])
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", color=palette.grid, linewidth=0.8)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=most > 6))
    axes.set_xlabel("system calls a request", fontsize=11, color=palette.muted)
    scale = (width - 24) / most
    for place, arm in enumerate(arms):
        top = place * (BAR + GAP)
        total = float(table[arm].sum())
        axes.text(0, top + 14, f"{labels[arm]}  {total:.2f}", fontsize=11.5, color=palette.ink)
        left = 0.0
        for index, name in enumerate(calls.names):
            count = float(table.loc[name, arm])
            if count <= 0.0:
                continue
            gid = f"{arm}-{index}"
            piece = Rectangle((left, top + 20), count, BAR, linewidth=1, gid=gid,
                              edgecolor=palette.surface, **_fill(index, name, palette))  # fmt: skip
            axes.add_patch(piece)
            sheet.tips[gid] = f"{name}: {count:.2f} a request"
            if len(name) * LETTER < count * scale - 8:
                axes.text(left + count / 2, top + 20 + BAR / 2, name, fontsize=11, ha="center",
                          va="center", color=palette.ink)  # fmt: skip
            left += count
    for index, name in enumerate(calls.names):
        x = 8 + (index % across) * (width - 16) / across
        y = tall + 56 + (index // across) * LEGEND
        sheet.text(x, y, "■", fontsize=13, **_text_fill(index, name, palette))
        sheet.text(x + 15, y, name, fontsize=11)
    return sheet


def _colour(index: int, name: str, palette: Palette) -> tuple[str, float]:
    """Five colours, then the same ones paler; what has no name is grey."""
    if name == OTHER:
        return palette.muted, 0.4
    return palette.arm(index), (0.6, 0.35, 0.2, 0.12, 0.08)[min(index // COLOURS, 4)]


def _fill(index: int, name: str, palette: Palette) -> dict[str, object]:
    colour, alpha = _colour(index, name, palette)
    return {"facecolor": colour, "alpha": alpha}


def _text_fill(index: int, name: str, palette: Palette) -> dict[str, object]:
    colour, alpha = _colour(index, name, palette)
    return {"color": colour, "alpha": alpha}
