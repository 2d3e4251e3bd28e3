"""CPU time a request by stage: a bar for each arm, a piece for each stage, and differences."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from hotlap_analysis import wording
from hotlap_analysis.pictures.canvas import Palette, Sheet, signed_ticks
from hotlap_analysis.profile import costs
from hotlap_analysis.profile.flame import color_index
from hotlap_analysis.profile.recording import Cost, Profile

BAR, GAP, ROW, LEGEND = 32, 32, 23, 19
# A letter's width at the size of labels, in pixels, rather too large than too small.
LETTER = 6.6
SMALLEST_SHARE = 0.003  # of the dearer arm: differences of less are not drawn


def draw(profile: Profile, width: int, palette: Palette) -> Sheet:
    order = costs.stage_order(profile)
    by_stage = {cost.stage: cost for cost in profile.stages}
    across = max(1, (width - 16) // 148)
    tall = len(profile.arms) * (BAR + GAP)
    legend = -(-len(order) // across) * LEGEND
    shown = _changed(profile, [by_stage[stage] for stage in order]) if profile.two else []
    below = tall + 50 + legend + 16
    differences = len(shown) * ROW
    sheet = Sheet(width, below + (differences + 58 if shown else 0), palette)
    axes = _bars(sheet, profile, [by_stage[stage] for stage in order], tall)
    axes.set_xlabel("ns of CPU per request", fontsize=11, color=palette.muted)
    for place, stage in enumerate(order):
        x, y = 8 + (place % across) * 148, tall + 58 + (place // across) * LEGEND
        sheet.text(x, y, "■", fontsize=14, color=palette.stage(color_index(stage, order)))
        sheet.text(x + 16, y, wording.brief(costs.stage_name(stage), 20))
    if shown:
        _differences(sheet, profile, shown, below)
    return sheet


def _bars(sheet: Sheet, profile: Profile, ordered: list[Cost], tall: int) -> Axes:
    palette = sheet.palette
    order = [cost.stage for cost in ordered]
    axes = sheet.axes(8, 6, sheet.width - 24, tall)
    most = max(arm.cpu_per_request_ns for arm in profile.arms)
    axes.set_xlim(0, most)
    axes.set_ylim(tall, 0)
    axes.set_yticks([])
    axes.grid(axis="x", color=palette.grid, linewidth=0.8)
    scale = (sheet.width - 24) / most
    for place, arm in enumerate(profile.arms):
        top = place * (BAR + GAP)
        name = f"{arm.arm}: {profile.labels[arm.arm]}" if profile.two else profile.labels[arm.arm]
        total = wording.fixed(arm.cpu_per_request_ns, 0)
        room = int((sheet.width - 24) / LETTER) - 12
        axes.text(0, top + 15, f"{wording.brief(name, room)}  {total} ns", fontsize=11.5,
                  color=palette.ink)  # fmt: skip
        left = 0.0
        for index, cost in enumerate(ordered):
            ns = cost.arms[place].ns
            if ns <= 0.0:
                continue
            gid = f"{place}-{index}"
            color = palette.stage(color_index(cost.stage, order))
            axes.add_patch(Rectangle((left, top + 20), ns, BAR, linewidth=1, gid=gid,
                                     edgecolor=palette.surface, facecolor=color))  # fmt: skip
            label = costs.stage_name(cost.stage)
            sheet.tips[gid] = f"{label}: {wording.fixed(ns, 0)} ns per request"
            if len(label) * LETTER < ns * scale - 8:
                axes.text(left + ns / 2, top + 20 + BAR / 2, label, fontsize=11, ha="center",
                          va="center", color=palette.ink)  # fmt: skip
            left += ns
    return axes


def _changed(profile: Profile, ordered: list[Cost]) -> list[tuple[Cost, costs.Change]]:
    """Stages whose change can be seen at this scale, the largest first."""
    most = max(arm.cpu_per_request_ns for arm in profile.arms)
    found = [(cost, costs.change(profile, cost)) for cost in ordered]
    seen = [(cost, c) for cost, c in found if abs(c.ns) + c.half_ns >= SMALLEST_SHARE * most]
    return sorted(seen, key=lambda pair: -abs(pair[1].ns))


def _differences(
    sheet: Sheet, profile: Profile, shown: list[tuple[Cost, costs.Change]], top: int
) -> None:
    """A bar from zero for each stage, with its interval; grey where that holds zero."""
    palette = sheet.palette
    first, last = (arm.arm for arm in profile.arms)
    names = 112 if sheet.narrow else 140
    values = 96
    sheet.text(8, top + 12, f"difference by stage, {last} − {first}, ns per request",
               color=palette.muted)  # fmt: skip
    height = len(shown) * ROW
    axes = sheet.axes(names, top + 22, sheet.width - names - values - 8, height)
    reach = max(abs(change.ns) + change.half_ns for _, change in shown)
    low = min(min(change.ns - change.half_ns for _, change in shown), 0.0)
    high = max(max(change.ns + change.half_ns for _, change in shown), 0.0)
    axes.set_xlim(low - 0.03 * reach, high + 0.03 * reach)
    axes.set_ylim(height, 0)
    axes.set_yticks([])
    axes.grid(axis="x", color=palette.grid, linewidth=0.8)
    axes.locator_params(axis="x", nbins=4 if sheet.narrow else 7)
    axes.axvline(0.0, color=palette.muted, linewidth=1.0)
    signed_ticks(axes.xaxis)
    for place, (cost, change) in enumerate(shown):
        middle = place * ROW + ROW / 2
        color = palette.rest
        if change.stands_out:
            color = palette.cheaper if change.ns < 0 else palette.dearer
        axes.add_patch(
            Rectangle((min(change.ns, 0.0), middle - 7), abs(change.ns), 14, facecolor=color)
        )
        ends = [change.ns - change.half_ns, change.ns + change.half_ns]
        axes.plot(ends, [middle, middle], color=palette.ink, linewidth=1.2)
        sheet.text(names - 10, top + 22 + middle + 4, costs.stage_name(cost.stage), ha="right")
        sheet.text(sheet.width - 8, top + 22 + middle + 4, change.text, ha="right")
