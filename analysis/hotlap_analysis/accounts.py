"""Sections that account for CPU time: where it went, and a known effect beside its prediction."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from hotlap_analysis import signed_rank, wording
from hotlap_analysis.document import Block, Paragraph, Section, Table, code, plain
from hotlap_analysis.facts import Comparison, Facts

INTERFERENCE_PERCENT = 1.0


def where_cpu_went(facts: Facts) -> Section | None:
    rows, worst = [], 0.0
    for arm in facts.run.arms:
        own = facts.tables.timing()
        own = own[own["arm"] == arm.name]
        cpu, ok = _total(own, "cpu_ns"), _total(own, "ok")
        if not cpu or not ok:
            continue
        generator = _total(own, "generator_cpu_ns")
        inside = _total(own, "cpu_own_slices_ns")
        outside = None if inside is None else 100.0 * (1.0 - inside / cpu)
        worst = max(worst, outside or 0.0)
        rows.append(
            [
                plain(facts.labels[arm.name]),
                wording.quantity(cpu / ok, "ns"),
                wording.quantity(None if generator is None else generator / ok, "ns"),
                *_split(own),
                _share(outside),
            ]
        )
    if not rows:
        return None
    header = ["arm", "server CPU per request", "generator", "user", "system", "outside own slices"]
    text = (
        "User and system are sampled by the kernel's tick: a picture of the run as a whole, never "
        "tested. CPU spent outside an arm's own slices is charged to it all the same."
    )
    blocks: list[Block] = [Table(header, rows, "lrrrrr"), Paragraph(text, note=True)]
    if worst > INTERFERENCE_PERCENT:
        blocks.append(
            Paragraph(
                f"**Interference**: more than {INTERFERENCE_PERCENT:g}{wording.SPACE}% of an arm's "
                "CPU fell outside its own slices, where the other arms were being timed."
            )
        )
    return Section("Where the CPU time went", blocks)


def _total(rows: pd.DataFrame, column: str) -> float | None:
    if column not in rows or rows.empty or rows[column].isna().any():
        return None
    return float(rows[column].sum())


def _split(rows: pd.DataFrame) -> list[str]:
    user, system = _total(rows, "user_ns_sampled"), _total(rows, "system_ns_sampled")
    if user is None or system is None or user + system <= 0.0:
        return [wording.ABSENT, wording.ABSENT]
    return [f"{100.0 * part / (user + system):.0f}{wording.SPACE}%" for part in (user, system)]


def _share(share: float | None) -> str:
    return wording.ABSENT if share is None else wording.fixed(share, 2) + wording.SPACE + "%"


def known_effect(facts: Facts) -> Section | None:
    """The ballast's cost as measured beside the rounds against what the run found."""
    rows = facts.tables.timing()
    if "ballast_step_ns" not in rows:
        return None
    step = rows.groupby("round")["ballast_step_ns"].first().dropna()
    lines = [line for c in facts.comparisons if (line := _effect_row(facts, c, step)) is not None]
    if not lines:
        return None
    header = ["arm", "steps more", "step", "predicted", "measured", "measured / predicted"]
    text = (
        "A step's cost is measured in the same run, on the servers' CPU, in turns between rounds. "
        f"Intervals are {wording.level(facts.alpha)}; the last one is of the measured side alone."
    )
    return Section(
        "A known effect: ballast", [Table(header, lines, "lrrrrr"), Paragraph(text, note=True)]
    )


def _effect_row(facts: Facts, comparison: Comparison, step: pd.Series) -> list[str] | None:
    steps = [_steps(arm.pipeline) for arm in (facts.run.arms[0], facts.run.arms[comparison.index])]
    verdict = comparison.verdict
    if steps[0] is None or steps[1] is None or steps[0] == steps[1] or step.empty:
        return None
    if verdict.metric != "cpu_per_request" or verdict.estimate_absolute is None:
        return None
    more = steps[1] - steps[0]
    cost = signed_rank.locate(np.asarray(step, float), facts.alpha)
    predicted = more * (cost.estimate or 0.0)
    if predicted == 0.0:
        return None
    bounds = verdict.absolute_interval
    ratios = None if bounds is None else sorted(bound / predicted for bound in bounds)
    error = None if cost.interval is None else wording.half_width(cost.interval)
    measured = wording.signed_quantity(verdict.estimate_absolute, "ns", wording.half_width(bounds))
    ratio = wording.significant(verdict.estimate_absolute / predicted, 3)
    if ratios is not None:
        digits = wording.decimals((ratios[1] - ratios[0]) / 2.0)
        ratio = wording.fixed(verdict.estimate_absolute / predicted, digits)
        ratio += f" ({wording.fixed(ratios[0], digits)} to {wording.fixed(ratios[1], digits)})"
        measured += f" ({wording.absolute_interval(bounds, 'ns')})"
    return [
        code(comparison.arm),
        f"{more:,}",
        wording.quantity(cost.estimate, "ns", error),
        wording.signed_quantity(predicted, "ns", None if error is None else abs(more) * error),
        measured,
        ratio,
    ]


def _steps(pipeline: str) -> int | None:
    found = re.search(r"(?:^|,)ballast=(?:(none)|chain:(\d+))(?:,|$)", pipeline)
    if found is None:
        return None
    return 0 if found.group(1) else int(found.group(2))
