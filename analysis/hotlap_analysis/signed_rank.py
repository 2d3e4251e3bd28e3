"""Hodges-Lehmann estimate, its exact signed-rank interval, and the exact two-sided p.

Written with numpy and scipy alone and apart from the harness's own estimators, which it checks.
Cost: O(n^2) for Walsh averages, O(n^3) for a null distribution; n is a number of rounds.
Sources: Hodges and Lehmann 1963; Hollander, Wolfe and Chicken, Nonparametric Statistical Methods,
ch. 3; Pratt 1959 for zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
MIN_ROUNDS = 6


@dataclass(frozen=True)
class Location:
    """Where the centre of the differences lies; no interval and no p below MIN_ROUNDS rounds."""

    n: int
    estimate: float | None
    interval: tuple[float, float] | None
    p: float | None


def walsh_averages(d: Sequence[float] | Floats) -> Floats:
    """The n(n+1)/2 means of all pairs, each value with itself too, ascending."""
    values = np.asarray(d, dtype=float)
    first, second = np.triu_indices(len(values))
    return np.sort((values[first] + values[second]) / 2.0)


def hodges_lehmann(d: Sequence[float] | Floats) -> float:
    return float(np.median(walsh_averages(d)))


def null_distribution(ranks: Sequence[int]) -> Floats:
    """P(W+ = w), w = 0 .. sum, when each of these whole ranks is positive by a fair coin."""
    probability = np.zeros(sum(ranks) + 1)
    probability[0] = 1.0
    for rank in ranks:
        shifted = np.zeros_like(probability)
        shifted[rank:] = probability[: len(probability) - rank]
        probability = 0.5 * (probability + shifted)
    return probability


def critical_index(n: int, alpha: float) -> int | None:
    """The largest k with P(W+ <= k) <= alpha/2, or None where even k = 0 is too likely."""
    cumulative = np.cumsum(null_distribution(range(1, n + 1)))
    k = int(np.searchsorted(cumulative, alpha / 2.0, side="right")) - 1
    return k if k >= 0 else None


def interval(d: Sequence[float] | Floats, alpha: float) -> tuple[float, float] | None:
    """[walsh_(k+1), walsh_(M-k)]; None for n < 6 or where n is too small for this alpha."""
    if len(d) < MIN_ROUNDS:
        return None
    k = critical_index(len(d), alpha)
    if k is None:
        return None
    averages = walsh_averages(d)
    return float(averages[k]), float(averages[len(averages) - 1 - k])


def p_value(d: Sequence[float] | Floats) -> float:
    """Exact two-sided signed-rank p. Ties take midranks; zeros keep their ranks out of the sum."""
    values = np.asarray(d, dtype=float)
    magnitude = np.abs(values)
    if len(np.unique(magnitude)) == len(values) and np.all(values != 0.0):
        if len(values) <= 50:  # scipy's own exact limit
            return float(stats.wilcoxon(values, method="exact").pvalue)
    return _flip_p(values)


def _flip_p(values: Floats) -> float:
    doubled = np.rint(2.0 * stats.rankdata(np.abs(values))).astype(int)
    used = doubled[values != 0.0]
    if len(used) == 0:
        return 1.0
    positive = int(doubled[values > 0.0].sum())
    smaller = min(positive, int(used.sum()) - positive)
    tail = float(null_distribution(used.tolist())[: smaller + 1].sum())
    return min(1.0, 2.0 * tail)


def locate(d: Sequence[float] | Floats, alpha: float) -> Location:
    n = len(d)
    if n == 0:
        return Location(0, None, None, None)
    enough = n >= MIN_ROUNDS
    return Location(
        n=n,
        estimate=hodges_lehmann(d),
        interval=interval(d, alpha),
        p=p_value(d) if enough else None,
    )


def median_interval(d: Sequence[float] | Floats, alpha: float) -> tuple[float, float] | None:
    """The sign-test interval of the median: order statistics k+1 and n-k."""
    n = len(d)
    k = int(stats.binom.ppf(alpha / 2.0, n, 0.5)) if n >= MIN_ROUNDS else -1
    while k >= 0 and stats.binom.cdf(k, n, 0.5) > alpha / 2.0:
        k -= 1
    if k < 0:
        return None
    ordered = np.sort(np.asarray(d, dtype=float))
    return float(ordered[k]), float(ordered[n - 1 - k])


def spread(d: Sequence[float] | Floats) -> float:
    """1.4826 MAD, the robust standard deviation of a round; the plain one where the MAD is 0."""
    values = np.asarray(d, dtype=float)
    robust = 1.4826 * float(np.median(np.abs(values - np.median(values))))
    return robust if robust > 0.0 or len(values) < 2 else float(np.std(values, ddof=1))
