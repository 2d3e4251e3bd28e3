"""Differences with what they may be off by, in the one way that tables, pictures and pages show.

Where the arms were recorded in turns, the error is that of the mean over pairs of turns; otherwise
samples are counts of events that come independently, of variance equal to the count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import stats

from hotlap_analysis import wording
from hotlap_analysis.profile.recording import Cost, Profile

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Change:
    """B less A of something, in ns per request, with half the width of its interval."""

    ns: float
    half_ns: float

    @property
    def stands_out(self) -> bool:
        return abs(self.ns) > self.half_ns

    @property
    def text(self) -> str:
        digits = wording.decimals(self.half_ns) if self.half_ns < 10.0 else 0
        shown = wording.fixed(self.ns, digits, sign=True)
        return f"{shown}{wording.SPACE}±{wording.SPACE}{wording.fixed(self.half_ns, digits)}"


def change(profile: Profile, cost: Cost) -> Change:
    a, b = cost.arms[0], cost.arms[-1]
    ns = b.ns - a.ns if cost.difference_ns is None else cost.difference_ns
    pairs = min(arm.turns for arm in profile.arms)
    if cost.error_ns is not None and pairs > 1:
        quantile = float(stats.t.ppf(0.5 + CONFIDENCE / 2.0, pairs - 1))
        return Change(ns, quantile * cost.error_ns)
    return counted(profile, a.samples, b.samples, ns)


def counted(profile: Profile, a: int, b: int, ns: float | None = None) -> Change:
    """From samples alone: a count of zero has the error of a count of one."""
    first, second = profile.arms[0].ns_per_sample, profile.arms[-1].ns_per_sample
    error = math.hypot(first * math.sqrt(max(a, 1)), second * math.sqrt(max(b, 1)))
    quantile = float(stats.norm.ppf(0.5 + CONFIDENCE / 2.0))
    return Change(b * second - a * first if ns is None else ns, quantile * error)


def in_turns(profile: Profile) -> bool:
    return any(cost.error_ns is not None for cost in profile.stages)


def stage_order(profile: Profile) -> list[str]:
    """Stages, dearest first. Colours follow this order."""

    def key(cost: Cost) -> tuple[float, str]:
        return (-max(arm.ns for arm in cost.arms), cost.stage)

    return [cost.stage for cost in sorted(profile.stages, key=key)]


def stage_name(stage: str) -> str:
    return stage or "other"
