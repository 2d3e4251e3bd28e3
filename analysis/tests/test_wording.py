"""Numbers and sentences as readers see them."""

from __future__ import annotations

from typing import Any

import pytest

from hotlap_analysis import wording
from hotlap_analysis.run import Verdict

NAMES = {"a": "request_line=regex", "b": "request_line=scalar"}


def spaces(text: str) -> str:
    return text.replace("\u00a0", " ").replace("−", "-")


def verdict(**known: Any) -> Verdict:
    return Verdict(metric="cpu_per_request", arm="b", unit="ns", better="lower", **known)


def test_two_digits_of_the_error() -> None:
    assert spaces(wording.percent(-3.1234, (-3.3, -2.9))) == "-3.12 %"
    assert spaces(wording.percent(-3.1234, (-3.123, -3.124))) in ("-3.12 %", "-3.12340 %")
    assert spaces(wording.percent_interval((-33.0, 12.0))) == "-33 to +12 %"
    assert spaces(wording.percent(0.0001, (-0.3, 0.3))) == "0.00 %"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (6980.0, "ns", "6.980 µs"),
        (142345.6, "1/s", "142,300 /s"),
        (0.0, "1", "0"),
        (12.3, "bytes", "12.30 B"),
        (2.0, "1", "2.00"),
        (None, "ns", "–"),
    ],
)
def test_quantities(value: float | None, unit: str, shown: str) -> None:
    assert spaces(wording.quantity(value, unit)) == shown


def test_levels() -> None:
    assert [spaces(wording.level(a)) for a in (0.05, 0.0221, 0.001, 0.049)] == [
        "95 %",
        "97.8 %",
        "99.9 %",
        "95.1 %",
    ]


def test_improved_sentence() -> None:
    told = verdict(
        estimate_percent=-3.1,
        interval_low_percent=-3.3,
        interval_high_percent=-2.9,
        verdict="improved",
        flags=["certain"],
    )
    assert spaces(wording.sentence(told, NAMES, "a", 0.05, 0.5)) == (
        "`request_line=scalar` costs 3.10 % less CPU per request than `request_line=regex` "
        "(95 % interval 2.90 to 3.30 %): **improved, certain**."
    )


def test_other_sentences() -> None:
    bounds: dict[str, Any] = {"interval_low_percent": -0.1, "interval_high_percent": 0.3}
    same = verdict(estimate_percent=0.1, verdict="equivalent", **bounds)
    assert "equivalent" in wording.sentence(same, NAMES, "a", 0.05, 0.5)
    wide: dict[str, Any] = {"interval_low_percent": -2.0, "interval_high_percent": 3.0}
    open_ = verdict(estimate_percent=0.1, rounds_to_decide=240, **wide)
    said = spaces(wording.sentence(open_, NAMES, "a", 0.05, 0.5))
    assert said.startswith("**Inconclusive**") and "about 240 rounds would decide" in said
    few = spaces(wording.sentence(verdict(estimate_percent=1.0), NAMES, "a", 0.05, 0.5))
    assert few.startswith("Too few rounds") and "+1.00 %" in few
    more: dict[str, Any] = {"interval_low_percent": 1.0, "interval_high_percent": 1.4}
    worse = verdict(estimate_percent=1.2, verdict="regressed", **more)
    said = spaces(wording.sentence(worse, NAMES, "a", 0.05, 0.5))
    assert "costs 1.20 % more CPU" in said and "1.00 to 1.40 %" in said
