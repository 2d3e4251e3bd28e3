"""The estimators against brute force and published tables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from hotlap_analysis import signed_rank


def brute_p(values: list[float]) -> float:
    """Every sign flip of Pratt's midranks, by enumeration."""
    ranks = stats.rankdata(np.abs(values))
    signed = [(r, v) for r, v in zip(ranks, values) if v != 0.0]
    observed = abs(sum(math.copysign(r, v) for r, v in signed))
    flips = itertools.product((-1, 1), repeat=len(signed))
    sums = [abs(sum(s * r for s, (r, _) in zip(signs, signed))) for signs in flips]
    return float(np.mean([total >= observed - 1e-9 for total in sums]))


def brute_critical(n: int, alpha: float) -> int | None:
    sums = [
        sum(r for r, taken in zip(range(1, n + 1), picks) if taken)
        for picks in itertools.product((0, 1), repeat=n)
    ]
    k = -1
    while sum(s <= k + 1 for s in sums) / len(sums) <= alpha / 2:
        k += 1
    return k if k >= 0 else None


@pytest.mark.parametrize("seed", range(8))
def test_p_equals_enumeration(seed: int) -> None:
    random = np.random.default_rng(seed)
    smooth = random.normal(0.4, 1.0, 11)
    assert signed_rank.p_value(smooth) == pytest.approx(brute_p(list(smooth)), rel=1e-12)
    tied = np.round(smooth, 0)  # ties and zeros
    assert signed_rank.p_value(tied) == pytest.approx(brute_p(list(tied)), rel=1e-12)


def test_p_beyond_scipys_exact_limit_agrees_with_the_normal_limit() -> None:
    values = np.random.default_rng(5).normal(0.2, 1.0, 60)
    limit = stats.wilcoxon(values, mode="approx").pvalue
    assert signed_rank.p_value(values) == pytest.approx(limit, rel=0.1)


def test_edges() -> None:
    assert signed_rank.p_value([0.0] * 8) == 1.0
    assert signed_rank.locate([], 0.05).estimate is None
    five = signed_rank.locate([1.0, 2.0, 3.0, 4.0, 5.0], 0.05)
    assert five.estimate == 3.0 and five.interval is None and five.p is None
    assert signed_rank.interval(np.arange(6.0), 0.001) is None  # 2 / 2^6 is above it


@pytest.mark.parametrize("n", [6, 9, 12])
@pytest.mark.parametrize("alpha", [0.05, 0.0221, 0.001])
def test_critical_index(n: int, alpha: float) -> None:
    assert signed_rank.critical_index(n, alpha) == brute_critical(n, alpha)


def test_interval_is_where_the_test_turns() -> None:
    """A shift within the interval is not rejected, one beyond it is."""
    d = np.random.default_rng(2).normal(0.0, 1.0, 14)
    low, high = signed_rank.interval(d, 0.0221) or (0.0, 0.0)
    for inside, beyond in ((low + 1e-9, low - 1e-9), (high - 1e-9, high + 1e-9)):
        assert signed_rank.p_value(d - inside) > 0.0221
        assert signed_rank.p_value(d - beyond) <= 0.0221


def test_hodges_lehmann_of_a_published_sample() -> None:
    """Hollander and Wolfe's depression scores: estimate -0.46."""
    x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    d = np.array(y) - np.array(x)
    assert signed_rank.hodges_lehmann(d) == pytest.approx(-0.46, abs=1e-9)
    assert signed_rank.p_value(d) == pytest.approx(0.0390625, rel=1e-12)


def test_equivariance() -> None:
    d = np.random.default_rng(9).normal(0.1, 1.0, 15)
    assert signed_rank.hodges_lehmann(-d) == pytest.approx(-signed_rank.hodges_lehmann(d))
    assert signed_rank.p_value(-d[::-1]) == pytest.approx(signed_rank.p_value(d), rel=1e-12)


def test_median_interval() -> None:
    """Binomial(12, 1/2): P(X <= 2) = 0.0193, so that 0.05 takes the third from either end."""
    low, high = signed_rank.median_interval(np.arange(12.0), 0.05) or (0.0, 0.0)
    assert (low, high) == (2.0, 9.0)
