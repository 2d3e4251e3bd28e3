"""Verdicts recomputed from the tables, and the comparison with those that the harness wrote.

Independent of the harness's estimators by construction: only the definitions are shared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from hotlap_analysis import signed_rank
from hotlap_analysis.metrics import Metric, Paired, metric, of_run, paired
from hotlap_analysis.run import Run, RunError, Verdict
from hotlap_analysis.signed_rank import Location
from hotlap_analysis.tables import Tables

RELATIVE = 1e-9
EFFICIENCY = 1.047  # of Hodges-Lehmann against the mean, normal errors
POWER_95 = 1.645
BH_LEVEL = 0.10


def percent(d: float) -> float:
    """100 (e^d - 1)."""
    return 100.0 * math.expm1(d)


def _d(shown_percent: float) -> float:
    return math.log1p(shown_percent / 100.0)


def standard_error(d: list[float]) -> float:
    """Of the Hodges-Lehmann estimate, robustly: s sqrt(1.047 / n), s = 1.4826 MAD."""
    return signed_rank.spread(d) * math.sqrt(EFFICIENCY / len(d))


def resolution_percent(d: list[float], alpha: float) -> float:
    """The effect found 95 times in 100 at this alpha: (z_{alpha/2} + 1.645) se, in per cent."""
    return percent((z(alpha) + POWER_95) * standard_error(d))


def rounds_for(effect_percent: float, spread: float, alpha: float) -> int:
    """n = (z_{alpha/2} + 1.645)^2 1.047 (s/delta)^2."""
    return math.ceil(
        (z(alpha) + POWER_95) ** 2 * EFFICIENCY * (100.0 * spread / effect_percent) ** 2
    )


def z(alpha: float) -> float:
    return float(stats.norm.isf(alpha / 2.0))


def recompute(run: Run, tables: Tables) -> list[Verdict]:
    """A verdict per metric and arm but the first, of the rounds that finished."""
    found = []
    for arm in run.arms[1:]:
        for known in of_run(tables):
            pairs = paired(known, tables, run.arms[0].name, arm.name)
            if len(pairs.a):
                found.append(_verdict(run, known, arm.name, pairs))
    kept = benjamini_hochberg(found)
    for verdict in found:
        change = verdict.verdict in ("improved", "regressed", "small")
        if change and not verdict.primary and (verdict.metric, verdict.arm) not in kept:
            verdict.verdict, verdict.flags = "inconclusive", []
            verdict.reason = "one of many: Benjamini-Hochberg at 10 % does not keep it"
    return found


def _verdict(run: Run, known: Metric, arm: str, pairs: Paired) -> Verdict:
    verdict = Verdict(
        metric=known.name,
        arm=arm,
        unit=known.unit,
        better=known.better,
        a=float(np.median(pairs.a)),
        b=float(np.median(pairs.b)),
        primary=known.name == run.primary_metric,
        rounds=len(pairs.a),
    )
    alpha = run.alpha(verdict.rounds)
    ratio = pairs.relative
    values = list(pairs.log_ratio if ratio else pairs.difference)
    margin = known.margin(run, ratio)
    if known.exact_possible and verdict.rounds >= 2 and pairs.unvarying:
        _exact(verdict, pairs)
        return verdict
    _fill(verdict, "absolute", signed_rank.locate(list(pairs.difference), alpha), False)
    if pairs.ratio_defined:
        _fill(verdict, "percent", signed_rank.locate(list(pairs.log_ratio), alpha), True)
    estimate = verdict.estimate_percent if ratio else verdict.estimate_absolute
    if estimate is not None and verdict.a is not None:
        # The medians of both arms may differ the other way than the paired estimate does.
        verdict.b = verdict.a * (1 + estimate / 100) if ratio else verdict.a + estimate
    if verdict.rounds >= signed_rank.MIN_ROUNDS:
        verdict.p = signed_rank.p_value(values)
        verdict.resolution_percent = resolution_percent(values, alpha) if ratio else None
    at_look = run.state == "complete" or verdict.rounds in run.looks or known.pass_name != "timing"
    _judge(verdict, known, ratio, margin, alpha if at_look else None)
    if verdict.verdict == "inconclusive" and ratio and verdict.percent_interval is not None:
        verdict.rounds_to_decide = rounds_for(margin, signed_rank.spread(values), alpha)
    return verdict


def _exact(verdict: Verdict, pairs: Paired) -> None:
    """Counts that never vary are compared as they are; there is nothing to be unsure of."""
    verdict.verdict, verdict.reason = "exact", "no round's count differs from another's"
    difference = float(pairs.difference[0])
    verdict.estimate_absolute = difference
    verdict.interval_low_absolute = verdict.interval_high_absolute = difference
    if pairs.ratio_defined:
        share = 100.0 * difference / float(pairs.a[0])
        verdict.estimate_percent = share
        verdict.interval_low_percent = verdict.interval_high_percent = share


def _fill(verdict: Verdict, scale: str, location: Location, as_percent: bool) -> None:
    def shown(value: float) -> float:
        return percent(value) if as_percent else value

    if location.estimate is not None:
        setattr(verdict, f"estimate_{scale}", shown(location.estimate))
    if location.interval is not None:
        setattr(verdict, f"interval_low_{scale}", shown(location.interval[0]))
        setattr(verdict, f"interval_high_{scale}", shown(location.interval[1]))


def _judge(
    verdict: Verdict, known: Metric, ratio: bool, margin: float, alpha: float | None
) -> None:
    """The first of the verdicts, in their order, that applies; `alpha` is None between looks."""
    estimate = verdict.estimate_percent if ratio else verdict.estimate_absolute
    bounds = verdict.percent_interval if ratio else verdict.absolute_interval
    if bounds is None or estimate is None or verdict.p is None:
        verdict.reason = f"{verdict.rounds} rounds are too few for an interval"
        return
    if alpha is None:
        verdict.reason = "the run ended between two looks, where nothing is concluded"
        return
    if ratio:  # the margin is declared on the scale of d
        estimate, margin = _d(estimate), margin / 100.0
        bounds = (_d(bounds[0]), _d(bounds[1]))
    low, high = bounds
    found = (low > 0.0 or high < 0.0) and verdict.p <= alpha
    if found and abs(estimate) >= margin:
        better = (estimate < 0.0) == (known.better == "lower")
        verdict.verdict = "improved" if better else "regressed"
        if min(abs(low), abs(high)) > margin:
            verdict.flags.append("certain")
    elif -margin <= low and high <= margin:
        verdict.verdict = "equivalent"
    elif found:
        verdict.verdict = "small"


def benjamini_hochberg(verdicts: list[Verdict], level: float = BH_LEVEL) -> set[tuple[str, str]]:
    """(metric, arm) of the exploratory verdicts whose p survives at this false discovery rate."""
    tested = sorted((v.p, v.metric, v.arm) for v in verdicts if not v.primary and v.p is not None)
    kept = 0
    for place, (p, _, _) in enumerate(tested, start=1):
        if p <= level * place / len(tested):
            kept = place
    return {(name, arm) for _, name, arm in tested[:kept]}


@dataclass(frozen=True)
class Difference:
    """A number of run.json that the tables do not give."""

    metric: str
    arm: str
    what: str
    written: float | None
    recomputed: float | None

    def __str__(self) -> str:
        return (
            f"{self.metric} of {self.arm}: {self.what} is {self.written!r} in run.json and "
            f"{self.recomputed!r} from the tables"
        )


def check(run: Run, tables: Tables) -> tuple[int, list[Difference]]:
    """How many numbers were compared, and those that differ by more than 1e-9 relative."""
    compared = 0
    differences: list[Difference] = []
    if not run.verdicts:
        raise RunError(
            f"{run.directory / 'run.json'}: holds no verdicts to check; it was cut short"
        )
    for verdict in run.verdicts:
        known = metric(verdict.metric)
        if known is None:
            differences.append(Difference(verdict.metric, verdict.arm, "the metric", None, None))
            continue
        pairs = paired(known, tables, run.arms[0].name, verdict.arm)
        for what, written, again, tolerance in _numbers(run, verdict, pairs):
            compared += 1
            if not _agree(written, again, tolerance):
                differences.append(Difference(verdict.metric, verdict.arm, what, written, again))
    return compared, differences


Number = tuple[str, float | None, float | None, float]


def _numbers(run: Run, verdict: Verdict, pairs: Paired) -> list[Number]:
    numbers: list[Number] = [("rounds", verdict.rounds, len(pairs.a), 0.0)]
    alpha = run.alpha(verdict.rounds)
    absolute = signed_rank.locate(list(pairs.difference), alpha)
    ratio = signed_rank.locate(list(pairs.log_ratio) if pairs.ratio_defined else [], alpha)
    if verdict.estimate_absolute is not None:
        numbers += _location(verdict, "absolute", absolute, as_percent=False)
    if verdict.estimate_percent is not None:
        numbers += _location(verdict, "percent", ratio, as_percent=True)
    if verdict.verdict != "exact":
        numbers.append(("p", verdict.p, (ratio if pairs.relative else absolute).p, 0.0))
    return numbers


def _location(verdict: Verdict, scale: str, location: Location, as_percent: bool) -> list[Number]:
    again = Verdict(verdict.metric, verdict.arm)
    _fill(again, scale, location, as_percent)
    keys = [f"{part}_{scale}" for part in ("estimate", "interval_low", "interval_high")]
    if verdict.verdict == "exact":
        del keys[1:]
    return [(key, getattr(verdict, key), getattr(again, key), 0.0) for key in keys]


def _agree(written: float | None, again: float | None, tolerance: float) -> bool:
    if written is None or again is None:
        return written is None and again is None
    return math.isclose(written, again, rel_tol=RELATIVE, abs_tol=max(tolerance, 1e-12))
