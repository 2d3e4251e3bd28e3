"""Differences with what they may be off by, in the one way that tables, pictures and pages show.

Where the arms were recorded in turns, the error is that of the mean over pairs of turns; otherwise
samples are counts of events that come independently, of variance equal to the count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import stats

from hotlap_analysis import wording
from hotlap_analysis.profile.recording import ArmCost, Cost, Profile

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
    half = _half_over_turns(profile, cost.error_ns)
    return Change(ns, half) if half is not None else counted(profile, a.samples, b.samples, ns)


def total(profile: Profile) -> Change | None:
    """Of all CPU time, where turns give it an error: the clock's count has no error of samples."""
    half = None if profile.total is None else _half_over_turns(profile, profile.total.error_ns)
    return None if half is None else Change(profile.difference_ns, half)


def alone(profile: Profile, cost: ArmCost) -> str:
    """What the only arm spends, with its ±."""
    half = _half_over_turns(profile, cost.error_ns)
    if half is None:
        one = profile.arms[0].ns_per_sample
        half = _normal() * one * math.sqrt(max(cost.samples, 1))
    return Change(cost.ns, half).text.removeprefix("+")


def _half_over_turns(profile: Profile, error_ns: float | None) -> float | None:
    return half_of_interval(min(arm.turns for arm in profile.arms), error_ns)


def half_of_interval(turns: int, error: float | None) -> float | None:
    """Half the width, from a standard error over turns; None where they give none."""
    if error is None or turns < 2:
        return None
    return float(stats.t.ppf(0.5 + CONFIDENCE / 2.0, turns - 1)) * error


def _normal() -> float:
    return float(stats.norm.ppf(0.5 + CONFIDENCE / 2.0))


def counted(profile: Profile, a: float, b: float, ns: float | None = None) -> Change:
    """From samples alone: a count of zero has the error of a count of one."""
    first, second = profile.arms[0].ns_per_sample, profile.arms[-1].ns_per_sample
    error = math.hypot(first * math.sqrt(max(a, 1)), second * math.sqrt(max(b, 1)))
    return Change(b * second - a * first if ns is None else ns, _normal() * error)


def in_turns(profile: Profile) -> bool:
    errors = (c.error_ns if profile.two else c.arms[0].error_ns for c in profile.stages)
    return any(error is not None for error in errors)


def stage_order(profile: Profile) -> list[str]:
    """Stages, dearest first. Colours follow this order."""

    def key(cost: Cost) -> tuple[float, str]:
        return (-max(arm.ns for arm in cost.arms), cost.stage)

    return [cost.stage for cost in sorted(profile.stages, key=key)]


def stage_name(stage: str) -> str:
    return stage or "other"
