"""Amounts a request: of each kind a bar for each arm, its parts in a row, on the kind's scale."""

from __future__ import annotations

from matplotlib.patches import Rectangle

from hotlap_analysis.amounts import Amount
from hotlap_analysis.pictures.canvas import Palette, Sheet
from hotlap_analysis.wording import brief, fixed

BAR, ROW, HEAD, GAP = 18, 26, 26, 14
LABEL, VALUE = 190, 64


def draw(amounts: list[Amount], labels: dict[str, str], width: int, palette: Palette) -> Sheet:
    arms = list(amounts[0].per_request.columns)
    group = HEAD + ROW * len(arms) + GAP
    sheet = Sheet(width, group * len(amounts) + 8, palette)
    label = LABEL if width >= 600 else 120
    for place, amount in enumerate(amounts):
        top = place * group
        sheet.text(8, top + 18, f"{amount.title} a request", fontsize=12, fontweight="bold")
        _legend(sheet, amount, top, width, palette)
        tall = ROW * len(arms)
        axes = sheet.axes(label, top + HEAD, width - label - VALUE, tall)
        axes.set_axis_off()
        axes.set_xlim(0, amount.most)
        axes.set_ylim(tall, 0)
        for row, arm in enumerate(arms):
            base = top + HEAD + row * ROW + ROW / 2 + 4
            sheet.text(8, base, brief(labels[arm], label // 8), color=palette.muted)
            left = 0.0
            for index, (name, value) in enumerate(amount.per_request[arm].items()):
                gid = f"{place}-{arm}-{index}"
                bar = Rectangle((left, row * ROW + (ROW - BAR) / 2), float(value), BAR, gid=gid,
                                linewidth=0, facecolor=palette.arm(row),
                                alpha=_strength(index))  # fmt: skip
                axes.add_patch(bar)
                sheet.tips[gid] = f"{amount.title}, {name}: {fixed(float(value), 3)} a request"
                left += float(value)
            end = label + (width - label - VALUE) * left / amount.most
            sheet.text(end + 6, base, fixed(left, 3))
    return sheet


def _strength(index: int) -> float:
    return (0.85, 0.35)[min(index, 1)]


def _legend(sheet: Sheet, amount: Amount, top: float, width: int, palette: Palette) -> None:
    """What the strong and the pale part of a bar are, where both are there."""
    present = [name for name, values in amount.per_request.iterrows() if values.max() > 0.0]
    if len(present) < 2:
        return
    x = width - 8.0
    for name in reversed(list(amount.per_request.index)):
        index = list(amount.per_request.index).index(name)
        x -= 7.0 * len(str(name)) + 22
        sheet.text(x, top + 18, "■", fontsize=13, color=palette.ink, alpha=_strength(index))
        sheet.text(x + 15, top + 18, str(name), color=palette.muted)
