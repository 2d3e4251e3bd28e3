"""The flame graph's element: its buttons, its canvas, and the call tree as numbers.

flame_tree.js and flame.js bring it to life. Its size follows the pruned tree, not the samples.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy import stats

from hotlap_analysis.document import Live
from hotlap_analysis.pictures.canvas import STAGES
from hotlap_analysis.profile import names, tree
from hotlap_analysis.profile.costs import CONFIDENCE, stage_name, stage_order
from hotlap_analysis.profile.recording import Profile

HERE = Path(__file__).parent
INSTEAD = "The flame graphs, which can be zoomed and searched, are in `profile.html`"
OTHER_VIEWERS = "; `*.folded` and `*.speedscope.json` are the same stacks for other viewers"


def style() -> str:
    return (HERE / "flame.css").read_text(encoding="utf-8")


def script() -> str:
    names = ("flame_tree.js", "flame.js", "tabs.js")
    return "".join((HERE / n).read_text(encoding="utf-8") for n in names)


@dataclass(frozen=True)
class Unit:
    """What a graph's frames weigh, in words, and how finely."""

    name: str  # "ns", of which there are so many per request
    none: str  # of a frame that has nothing in an arm
    digits: int  # behind the point, of small figures
    floor: float  # the error of nothing, as of a count, which is that of one


CPU = Unit("ns", "no sample", 1, 1.0)


def element(profile: Profile, root: tree.Node) -> Live:
    """Of the CPU's samples."""
    return drawn(profile, profile, root, stage_order(profile), CPU)


def drawn(
    profile: Profile, recorded: tree.Recorded, root: tree.Node, stages: list[str], unit: Unit
) -> Live:
    """Of anything by stack; `stages` in the order of their colours."""
    numbers = _data(recorded, root, stages, unit)
    data = json.dumps(numbers, ensure_ascii=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        data = data.replace(mark, f"\\u{ord(mark):04x}")
    kind = "flame two" if profile.two else "flame"
    about = "Flame graph: click a frame to zoom; arrow keys walk, Enter zooms, Escape resets."
    return Live(
        f'<div class="{kind}">\n<div class="bar"><div class="controls">{_choices(profile)}'
        '<input type="search" placeholder="search functions" aria-label="search functions">'
        '<button type="button" class="reset">reset</button>'
        '<button type="button" class="turn" aria-label="turn upside down">⇅</button></div>\n'
        '<div class="about" aria-live="polite"></div></div>\n'
        f'<div><canvas tabindex="0" role="application" aria-label="{about}"></canvas></div>\n'
        '<ul class="legend"></ul>\n'
        "<noscript><p>Without scripts the tables stand for the flame graph.</p></noscript>\n"
        f'<script type="application/json">{data}</script>\n</div>',
        f"{INSTEAD}{OTHER_VIEWERS if any(profile.directory.glob('*.folded')) else ''}.",
    )


def _choices(profile: Profile) -> str:
    if not profile.two:
        return ""
    widths = "".join(
        f'<button type="button" data-widths="{i}" title="{html.escape(profile.labels[arm.arm])}">'
        f"{html.escape(arm.arm)}</button>"
        for i, arm in enumerate(profile.arms)
    )
    colors = "".join(
        f'<button type="button" data-colors="{name}">{name}</button>'
        for name in ("change", "stage")
    )
    return (
        f'<div role="group" aria-label="widths"><span>widths of</span> {widths}</div>'
        f'<div role="group" aria-label="colours"><span>colours by</span> {colors}</div>'
    )


def _data(profile: tree.Recorded, root: tree.Node, stages: list[str], unit: Unit) -> dict[str, Any]:
    # Stages that stacks are charged to are all there; frames may name others, within those.
    known: dict[str, int] = {stage: place for place, stage in enumerate(stages)}
    functions: dict[tuple[str, str], int] = {}
    nodes: list[float] = []
    # Of counts the squares are the counts themselves.
    squares = any(node.squares != node.samples for node, _ in tree.in_order(root, profile))
    for node, stage in tree.in_order(root, profile):
        key = (node.function, node.object)
        nodes += [
            functions.setdefault(key, len(functions)),
            known.setdefault(stage, len(known)),
            len(node.children),
            *(round(samples) for samples in node.samples),
            *(float(f"{square:.4g}") for square in node.squares if squares),
        ]
    return {
        "arms": [
            {"name": arm.arm, "ns": arm.ns_per_sample, "samples": arm.samples}
            for arm in profile.arms
        ],
        "unit": unit.name,
        "none": unit.none,
        "digits": unit.digits,
        "floor": unit.floor,
        "squares": squares,
        "z": float(stats.norm.ppf(0.5 + CONFIDENCE / 2.0)),
        "stages": [
            {
                "name": stage_name(stage) if place < len(stages) or stage else "",
                "color": _variable(stage, stages),
                "shown": place < len(stages),
            }
            for stage, place in known.items()
        ],
        "names": [function for function, _ in functions],
        "labels": [names.without_arguments(function) for function, _ in functions],
        "shorts": [names.last(function) for function, _ in functions],
        "objects": [object for _, object in functions],
        "nodes": nodes,
    }


def color_index(stage: str, order: list[str]) -> int:
    """Of the palette's stage colours; −1 for what is grey: cheap, or of several stages."""
    place = order.index(stage) if stage in order else -1
    return place if place < STAGES else -1


def _variable(stage: str, order: list[str]) -> str:
    index = color_index(stage, order)
    return "--rest" if index < 0 else f"--stage{index}"
