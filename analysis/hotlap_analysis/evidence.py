"""The sections that show what was measured: metrics, rounds, latency, drift, resolution."""

from __future__ import annotations

import numpy as np
from scipy import stats

from hotlap_analysis import metrics, signed_rank, verdicts, wording
from hotlap_analysis.document import Block, Figure, Paragraph, Section, Table, code, plain
from hotlap_analysis.facts import Comparison, Facts, typical_slices
from hotlap_analysis.pictures import drift as drift_picture
from hotlap_analysis.pictures import percentiles
from hotlap_analysis.run import Verdict

SEEN = (0.1, 0.2, 0.5, 1.0, 2.0)  # effects in per cent for which the rounds needed are listed

FLAGS = {
    "skew": "the interval of the median does not hold the estimate: rounds lean to one side",
    "bursty": "the typical slice and the totals disagree: rare costs carry part of the difference",
    "interference": "an arm's slices depend on which arm ran just before",
    "not steady": "the difference changes with the age of processes and connections",
    "leans": "the run stopped early because of what it saw, so that its estimate leans away from 0",
}


def metrics_table(facts: Facts) -> Section | None:
    if not facts.verdicts:
        return None
    margin = f"±{facts.run.margin_percent:g}{wording.SPACE}%"
    blocks: list[Block] = [
        Figure("forest", _forest_alt(facts)),
        Paragraph(
            f"Dots are Hodges–Lehmann estimates over rounds, bars their exact "
            f"{wording.level(facts.alpha)} intervals, grey boxes the metric's margin "
            f"({margin} for {metrics.title(facts.run.primary_metric)}), within which a change does "
            "not matter. Metrics that may be zero are judged by their difference, in the table.",
            note=True,
        ),
    ]
    kept = verdicts.benjamini_hochberg(facts.verdicts)
    for arm in facts.run.arms[1:]:
        if len(facts.run.arms) > 2:
            first, label = code(facts.labels[facts.first]), code(facts.labels[arm.name])
            blocks.append(Paragraph(f"{label} against {first}:"))
        blocks.append(_metrics_of(facts, arm.name, kept))
    blocks.append(
        Paragraph(
            "The primary metric (bold) was declared before the run. The others are exploratory: "
            "a star marks those that Benjamini–Hochberg keeps at a false discovery rate of "
            f"{100 * verdicts.BH_LEVEL:g}{wording.SPACE}%. In a closed loop throughput, latency "
            "and CPU at saturation are one finding, not three.",
            note=True,
        )
    )
    return Section("Every metric", blocks)


def _metrics_of(facts: Facts, arm: str, kept: set[tuple[str, str]]) -> Table:
    shown = facts.of_arm(arm)
    header = ["metric", "change", f"{wording.level(facts.alpha)} interval", "verdict"]
    header += [plain(facts.labels[facts.first]), plain(facts.labels[arm]), "p"]
    strong = {place for place, verdict in enumerate(shown) if verdict.primary}
    rows = [_metric_row(verdict, kept) for verdict in shown]
    return Table(header, rows, "lrrlrrr", strong)


def _metric_row(verdict: Verdict, kept: set[tuple[str, str]]) -> list[str]:
    known = metrics.metric(verdict.metric)
    declared = known is not None and known.absolute and verdict.estimate_absolute is not None
    if verdict.estimate_percent is None or declared:
        bounds = verdict.absolute_interval
        error = wording.half_width(bounds)
        change = wording.signed_quantity(verdict.estimate_absolute, verdict.unit, error)
        interval = wording.absolute_interval(bounds, verdict.unit)
    else:
        change = wording.percent(verdict.estimate_percent, verdict.percent_interval)
        interval = wording.percent_interval(verdict.percent_interval)
    word = verdict.verdict
    if word == "exact":
        interval = wording.ABSENT
    if word in ("improved", "regressed"):
        word = f"**{word}**"
    return [
        metrics.title(verdict.metric),
        change,
        interval,
        ", ".join([word, *(plain(flag) for flag in verdict.flags)]),
        wording.quantity(verdict.a, verdict.unit),
        wording.quantity(verdict.b, verdict.unit),
        wording.p_value(verdict.p) + ("\u2009*" if (verdict.metric, verdict.arm) in kept else ""),
    ]


def _forest_alt(facts: Facts) -> str:
    told = [
        f"{metrics.title(v.metric)} {wording.percent(v.estimate_percent, v.percent_interval)}"
        for v in facts.verdicts
        if v.estimate_percent is not None
    ]
    return "Forest plot of each metric's change: " + "; ".join(told)


def rounds(facts: Facts) -> Section | None:
    if not facts.comparisons:
        return None
    blocks: list[Block] = [
        Figure("rounds", f"A dot a round: change of {facts.comparisons[0].title} in each round"),
        Paragraph(
            "A round is fresh processes for every arm and several connection sets: the unit of "
            "inference. The line is the estimate, the band its interval, dashes the margin; dotted "
            "lines are the looks fixed before the first round, crosses void rounds.",
            note=True,
        ),
    ]
    for comparison in facts.comparisons:
        if comparison.verdict.reason:
            who = f"{code(comparison.label)}: " if len(facts.comparisons) > 1 else ""
            reason = plain(comparison.verdict.reason)
            blocks.append(Paragraph(f"{who}**{comparison.verdict.verdict}**: {reason}."))
        blocks.append(Paragraph(_beside(facts, comparison)))
        for flag in comparison.verdict.flags:
            if flag in FLAGS:
                blocks.append(Paragraph(f"**{flag}**: {FLAGS[flag]}."))
    return Section("Round by round", blocks)


def _beside(facts: Facts, comparison: Comparison) -> str:
    """The median and the course of d beside the estimate."""
    who = f"{code(comparison.label)}: the" if len(facts.comparisons) > 1 else "The"
    middle = signed_rank.median_interval(comparison.d, facts.alpha)
    if middle is None or len(comparison.d) < signed_rank.MIN_ROUNDS or not comparison.relative:
        return f"{who} run has {wording.rounds(len(comparison.d))} that count."
    bounds = (verdicts.percent(middle[0]), verdicts.percent(middle[1]))
    median = verdicts.percent(float(np.median(comparison.d)))
    slope, _, low, high = stats.theilslopes(
        100.0 * np.array(comparison.d), np.array(comparison.rounds, float), 0.95
    )
    steady = "steady over the run" if low <= 0.0 <= high else "**not steady** over the run"
    ten = (10.0 * low, 10.0 * high)
    return (
        f"{who} median of the rounds is {wording.percent(median, bounds)} (sign-test interval "
        f"{wording.percent_interval(bounds)}).{_typical(facts, comparison)} The difference is "
        f"{steady}: its slope over ten rounds is {wording.percent(10.0 * slope, ten)} "
        f"(95{wording.SPACE}% interval {wording.percent_interval(ten)})."
    )


def _typical(facts: Facts, comparison: Comparison) -> str:
    """The 20 % trimmed mean over blocks, which leaves rare costs out where totals keep them."""
    location = signed_rank.locate(typical_slices(facts, comparison), facts.alpha)
    if location.estimate is None or location.interval is None:
        return ""
    low, high = location.interval
    bounds = (verdicts.percent(low), verdicts.percent(high))
    return (
        f" The typical slice (20{wording.SPACE}% trimmed mean over blocks, own slices only) says "
        f"{wording.percent(verdicts.percent(location.estimate), bounds)} "
        f"({wording.percent_interval(bounds)})."
    )


def latency(facts: Facts) -> Section | None:
    found = percentiles.curves(facts) if len(facts.tables.latency) else []
    if not found:
        return None
    shown = [q for q in percentiles.QUANTILES if any(c.at(q) is not None for c in found)]
    rows = [
        [f"{100 * q:.10g}{wording.SPACE}%"]
        + [wording.quantity(None if (v := c.at(q)) is None else 1000.0 * v, "ns") for c in found]
        for q in shown
    ]
    rows.append(["replies"] + [f"{c.count:,}" for c in found])
    header = ["percentile", *(plain(facts.labels[c.arm]) for c in found)]
    caveat = (
        "Replies of all rounds that count, merged. A percentile q is drawn only where 10/(1 − q) "
        "replies stand behind it"
    )
    if any(c.cut for c in found):
        caveat += (
            f", and only up to {facts.run.slice_ms or 0.0:g}{wording.SPACE}ms / 10, a tenth of a "
            "slice: slices shape the tail beyond"
        )
    caveat += ". Claims about tails need an open loop."
    blocks: list[Block] = [
        Figure("percentiles", "Latency percentiles of every arm on a log of 1/(1 − q) axis"),
        Table(header, rows, "l" + "r" * len(found)),
        Paragraph(caveat, note=True),
    ]
    return Section("Latency", blocks)


def drift(facts: Facts) -> Section | None:
    course = drift_picture.course(facts)
    if course is None:
        return None
    first = facts.first
    wander = f"{course.wander(first):.1f}{wording.SPACE}%"
    told = [
        f"{course.ratio_wander(arm.name, first):.1f}{wording.SPACE}%" for arm in facts.run.arms[1:]
    ]
    text = (
        f"CPU per request of {code(facts.labels[first])} wandered over {wander} of its median "
        f"(5th to 95th percentile of {len(course.seconds)} moments), the ratio of the arms in the "
        f"same moment over {' and '.join(told)}. The interleaved slices cancel what the arms "
        "share. Both panels use the same scale, per cent for per cent."
    )
    if course.by == "rounds":
        text += " Slices are not kept in this directory, so that a point is a whole round."
    return Section(
        "Drift, and what interleaving cancelled",
        [
            Figure("drift", "CPU per request of each arm over the run, and the ratio below it"),
            Paragraph(text),
        ],
    )


def resolution(facts: Facts) -> Section | None:
    told = [c for c in facts.comparisons if c.relative and len(c.d) >= signed_rank.MIN_ROUNDS]
    if not told:
        return None
    comparison = max(told, key=lambda c: signed_rank.spread(c.d))
    spread = signed_rank.spread(comparison.d)
    error = 100.0 * verdicts.standard_error(comparison.d)
    found = comparison.verdict.resolution_percent
    if found is None:
        found = verdicts.resolution_percent(comparison.d, facts.alpha)
    text = (
        f"One round scatters by {wording.significant(100.0 * spread, 2)}{wording.SPACE}% "
        f"(1.4826 MAD); the standard error after {wording.rounds(len(comparison.d))} is "
        f"{wording.significant(error, 2)}{wording.SPACE}%. A change of "
        f"**{wording.significant(found, 2)}{wording.SPACE}%** would have been found 95 times in "
        f"100 at p ≤ {facts.alpha:g}."
    )
    blocks: list[Block] = [Paragraph(text), _rounds_needed(facts, spread)]
    return Section("What this run could resolve", blocks)


def _rounds_needed(facts: Facts, spread: float) -> Table:
    seconds = None
    if facts.run.elapsed_s and facts.finished:
        seconds = facts.run.elapsed_s / (facts.finished + len(facts.void))
    rows = []
    for effect in SEEN:
        needed = max(verdicts.rounds_for(effect, spread, facts.alpha), signed_rank.MIN_ROUNDS)
        cells = [f"{effect:g}{wording.SPACE}%", f"{needed:,}"]
        rows.append(cells + ([f"≈ {wording.duration(needed * seconds)}"] if seconds else []))
    header = ["to find a change of", "rounds"] + (["here about"] if seconds else [])
    return Table(header, rows, "lrr" if seconds else "lr")
